#include "formatter/keep_format.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "compiler/core/diagnostics/apply_edits.h"
#include "formatter/format.h"
#include "tests/harness/files.h"

namespace tacet::formatter {
namespace {

using syntax::Language;

/// `text` after the edits and what keeps it formatted.
auto kept(const std::string& text, const std::vector<TextEdit>& edits, uint32_t width = 100)
    -> std::string {
  Style style;
  style.width = width;
  const syntax::FileSyntax file = syntax::parse_file(text, Language::Module);
  const std::vector<TextEdit> all = keep_format(file, text, edits, style);
  for (size_t i = 1; i < all.size(); ++i) {
    EXPECT_LE(all[i - 1].range.end, all[i].range.begin);
  }
  return apply_edits(text, all);
}

/// An edit that writes `to` where `from` stands first.
auto instead_of(const std::string& text, const std::string& from, const std::string& to)
    -> TextEdit {
  const auto begin = static_cast<uint32_t>(text.find(from));
  return {{begin, begin + static_cast<uint32_t>(from.size())}, to};
}

const std::string kTidy =
    "#version 0.1.0\n\nval f(x: i64) -> i64 { returns x + 1 }\n\nconst  a = 1\n";

TEST(KeepFormat, WhatWasTidyStaysTidy) {
  EXPECT_EQ(kept(kTidy, {instead_of(kTidy, "x + 1", "x  +  1 * x")}),
            "#version 0.1.0\n\nval f(x: i64) -> i64 { returns x + 1 * x }\n\nconst  a = 1\n");
  EXPECT_EQ(kept(kTidy, {instead_of(kTidy, "x + 1", "x + 1000")}, 40),
            "#version 0.1.0\n\nval f(x: i64) -> i64 {\n    returns x + 1000\n}\n\nconst  a = 1\n");
}

TEST(KeepFormat, WhatWasNotTidyIsLeftAlone) {
  EXPECT_EQ(kept(kTidy, {instead_of(kTidy, "= 1", "=  2")}),
            "#version 0.1.0\n\nval f(x: i64) -> i64 { returns x + 1 }\n\nconst  a =  2\n");
  // It would be tidy if lines could be wider.
  EXPECT_EQ(kept(kTidy, {instead_of(kTidy, "x + 1", "x  + 2")}, 30),
            "#version 0.1.0\n\nval f(x: i64) -> i64 { returns x  + 2 }\n\nconst  a = 1\n");
}

TEST(KeepFormat, WhatIsWrittenWholeIsTidy) {
  const std::string text = "#version 0.1.0\n\nconst  a = 1\n";
  const auto end = static_cast<uint32_t>(text.size() - 1);
  EXPECT_EQ(
      kept(text, {{{end, end}, "\n\nval g(first:i64,second:i64)->i64{returns first+second}"}}, 40),
      "#version 0.1.0\n\nconst  a = 1\n\n"
      "val g(first: i64, second: i64) -> i64 {\n    returns first + second\n}\n");
}

TEST(KeepFormat, ErrorsAreLeftAlone) {
  const std::string broken = "#version 0.1.0\n\nval  f(x: i64) -> i64 { returns x + }\n";
  EXPECT_EQ(kept(broken, {instead_of(broken, "x +", "x + 1")}),
            "#version 0.1.0\n\nval  f(x: i64) -> i64 { returns x + 1 }\n");
  EXPECT_EQ(kept(kTidy, {instead_of(kTidy, "x + 1", "x  +")}),
            "#version 0.1.0\n\nval f(x: i64) -> i64 { returns x  + }\n\nconst  a = 1\n");
}

auto names_in(const std::string& text) -> std::vector<TextRange> {
  std::vector<TextRange> names;
  const syntax::FileSyntax file = syntax::parse_file(text, Language::Module);
  for (const syntax::Unit& unit : file.units) {
    for (uint32_t i = 0; unit.tree->errors.empty() && i < unit.tree->nodes.size(); ++i) {
      const syntax::Node node(unit.tree.get(), i);
      if (node.is(syntax::NodeKind::Identifier)) {
        names.push_back(node.range().shifted(unit.begin));
      }
    }
  }
  return names;
}

/// In a tidy file the answer is what formatting all of it gives.
TEST(KeepFormat, AgreesWithFormattingTheWholeFile) {
  std::mt19937 random(7);
  int n_changed = 0;
  for (const auto& path :
       harness::find_files({.folder = "examples", .endings = {".tacet"}, .least = 5})) {
    const std::string source = harness::read_file(path);
    for (const uint32_t width : {40U, 60U, 100U}) {
      Style style;
      style.width = width;
      const std::string tidy = format(source, Language::Module, Edits::NotWanted, style).text;
      const std::vector<TextRange> names = names_in(tidy);
      for (int round = 0; round < 5 && !names.empty(); ++round) {
        std::vector<TextEdit> edits;
        for (const TextRange name : names) {
          if (random() % 8 == 0) {
            edits.push_back({name, "n" + std::string(random() % 24, '_')});
          }
        }
        const std::string plain = apply_edits(tidy, edits);
        EXPECT_EQ(kept(tidy, edits, width),
                  format(plain, Language::Module, Edits::NotWanted, style).text)
            << path << " " << width;
        n_changed += kept(tidy, edits, width) == plain ? 0 : 1;
      }
    }
  }
  EXPECT_GT(n_changed, 20);
}

}  // namespace
}  // namespace tacet::formatter
