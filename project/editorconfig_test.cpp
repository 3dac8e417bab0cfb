#include "project/editorconfig.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <regex>

namespace tacet::project {
namespace {

TEST(EditorConfig, ReadsSectionsAndRoot) {
  const EditorConfig config = parse_editorconfig(
      "\xEF\xBB\xBF; a comment\r\nRoot = True\r\n[*]\r\nIndent_Size = 2\n# another\nnothing\n"
      " [ src/**.tacet ] \nmax_line_length=80\n");
  EXPECT_TRUE(config.is_root);
  ASSERT_EQ(config.sections.size(), 2U);
  EXPECT_EQ(config.sections[0].glob, "*");
  ASSERT_EQ(config.sections[0].properties.size(), 1U);
  EXPECT_EQ(config.sections[0].properties[0].first, "indent_size");
  EXPECT_EQ(config.sections[1].properties[0].second, "80");
}

TEST(EditorConfig, LaterSectionsGoBeforeEarlierOnes) {
  const EditorConfig config =
      parse_editorconfig("[*]\na=1\nb=1\nc=1\n[*.tacet]\na=2\nb=unset\n[*.cm]\nc=3\n");
  std::map<std::string, std::string> properties = {{"d", "0"}};
  add_properties(config, "src/x.tacet", properties);
  const std::map<std::string, std::string> expected = {{"a", "2"}, {"c", "1"}, {"d", "0"}};
  EXPECT_EQ(properties, expected);
}

TEST(EditorConfig, GlobsMeanWhatTheSpecificationSays) {
  struct Case {
    const char* glob;
    const char* path;
    bool matches;
  };
  for (const Case& test : {
           Case{"*", "a/b.tacet", true},
           {"*.tacet", "a/b.tacet", true},
           {"*.tacet", "a/b.tacets", false},
           {"/*.tacet", "a/b.tacet", false},
           {"/*.tacet", "b.tacet", true},
           {"a/*.tacet", "a/b.tacet", true},
           {"a/*.tacet", "a/c/b.tacet", false},
           {"a/**.tacet", "a/c/b.tacet", true},
           {"a/**/b.tacet", "a/b.tacet", true},
           {"a/**/b.tacet", "a/c/d/b.tacet", true},
           {"a/**/b.tacet", "a/xb.tacet", false},
           {"**/b", "b", true},
           {"?.cm", "x.cm", true},
           {"?.cm", "xy.cm", false},
           {"[ab].cm", "b.cm", true},
           {"[!ab].cm", "b.cm", false},
           {"[!ab].cm", "c.cm", true},
           {"[a-c]x", "bx", true},
           {"[]a]x", "]x", true},
           {"a[/]b", "a/b", false},
           {"*.{cm,tacet}", "a.tacet", true},
           {"*.{cm,tacet}", "a.tlhe", false},
           {"{a,{b,c}d}.cm", "cd.cm", true},
           {"{a,{b,c}d}.cm", "c.cm", false},
           {"{a,}b", "b", true},
           {"{single}.cm", "{single}.cm", true},
           {"{single}.cm", "single.cm", false},
           {"{a.cm", "{a.cm", true},
           {"[a.cm", "[a.cm", true},
           {"{3..12}.cm", "7.cm", true},
           {"{3..12}.cm", "12.cm", true},
           {"{3..12}.cm", "13.cm", false},
           {"{-2..2}.cm", "-1.cm", true},
           {"\\*.cm", "*.cm", true},
           {"\\*.cm", "a.cm", false},
       }) {
    EXPECT_EQ(matches_glob(test.glob, test.path), test.matches) << test.glob << "  " << test.path;
  }
}

/// The glob as a regular expression.
auto expression_of(const std::string& glob) -> std::string {
  std::string out;
  for (size_t i = 0; i < glob.size(); ++i) {
    if (glob.compare(i, 3, "**/") == 0) {
      out += "(.*/)?";
      i += 2;
    } else if (glob.compare(i, 2, "**") == 0) {
      out += ".*";
      ++i;
    } else if (glob[i] == '*') {
      out += "[^/]*";
    } else if (glob[i] == '?') {
      out += "[^/]";
    } else if (glob[i] == '{') {
      out += '(';
    } else if (glob[i] == '}') {
      out += ')';
    } else if (glob[i] == ',') {
      out += '|';
    } else {
      out += glob[i];
    }
  }
  return out;
}

TEST(EditorConfig, RandomGlobsAgreeWithRegularExpressions) {
  std::mt19937 random(9);
  const std::array<const char*, 12> pieces = {"a", "b",     "/",        "*",    "**",  "**/",
                                              "?", "{a,b}", "{ab,*/a}", "[ab]", "/a/", "{a,b?,}"};
  int n_matches = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string glob = "/";
    for (auto n = random() % 6; n > 0; --n) {
      const char* piece = pieces[random() % pieces.size()];
      // `***` and `**` next to `*/` are tokenised differently.
      if (!(glob.ends_with('*') && (*piece == '*' || *piece == '{' || *piece == '/'))) {
        glob += piece;
      }
    }
    std::string path;
    for (auto n = random() % 7; n > 0; --n) {
      path += "ab/"[random() % 3];
    }
    const bool expected = std::regex_match(path, std::regex(expression_of(glob.substr(1))));
    ASSERT_EQ(matches_glob(glob, path), expected) << glob << "  " << path;
    n_matches += expected ? 1 : 0;
  }
  EXPECT_GT(n_matches, 200);
}

/// Would not end if choices of lengths were tried in sequence.
TEST(EditorConfig, ManyStarsTakeLittleTime) {
  std::string glob;
  for (int i = 0; i < 100; ++i) {
    glob += "*a";
  }
  std::string path(1000, 'a');
  path += 'b';
  EXPECT_FALSE(matches_glob(glob, path));
  EXPECT_FALSE(matches_glob("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "c"));
}

}  // namespace
}  // namespace tacet::project
