// Runs the fixtures of this folder: NAME.tacet (or .tlhe) is formatted and compared with
// NAME.expected. A line `// style: width=60 indent=2 tabs=4 lines=windows` in it says what is not
// as usual. UPDATE_GOLDEN=1 rewrites what is expected.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "formatter/format.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"

namespace tacet::formatter {
namespace {

namespace fs = std::filesystem;

/// What the line `// style:` of a text says.
auto style_of(const std::string& text) -> Style {
  Style style;
  const std::string key = "// style: ";
  const size_t begin = text.find(key);
  if (begin == std::string::npos) {
    return style;
  }
  std::istringstream words(
      text.substr(begin + key.size(), text.find('\n', begin) - begin - key.size()));
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (name == "lines") {
      EXPECT_EQ(value, "windows");
      style.line_end = Style::LineEnd::Windows;
    } else if (name == "tabs") {
      style.indentation = Style::Indentation::Tabs;
      style.tab_width = static_cast<uint32_t>(std::stoul(value));
    } else {
      EXPECT_TRUE(name == "width" || name == "indent") << name;
      (name == "width" ? style.width : style.indent) = static_cast<uint32_t>(std::stoul(value));
    }
  }
  return style;
}

auto fixtures() -> std::vector<fs::path> {
  return harness::find_files({.folder = "tests/fmt", .endings = {".tacet", ".tlhe"}, .least = 15});
}

class FormatFixture : public testing::TestWithParam<fs::path> {};

TEST_P(FormatFixture, BecomesWhatIsExpected) {
  const std::string text = harness::read_file(GetParam());
  const FormatResult result =
      format(text, syntax::language_of(GetParam().string()), Edits::NotWanted, style_of(text));
  harness::expect_golden(fs::path(GetParam()).replace_extension(".expected"), result.text);
}

INSTANTIATE_TEST_SUITE_P(Files, FormatFixture, testing::ValuesIn(fixtures()),
                         harness::name_of_file);

TEST(Format, EveryExpectationHasItsFixture) {
  harness::expect_no_orphans(harness::find_files({.folder = "tests/fmt", .endings = {".expected"}}),
                             fixtures());
}

}  // namespace
}  // namespace tacet::formatter
