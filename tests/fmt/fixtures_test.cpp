// Runs the fixtures of this folder: NAME.tacet (or .tlhe) is formatted and compared with
// NAME.expected. A line `// style: width=60 indent=2 tabs=4 lines=windows` in it says what is not
// as usual. UPDATE_GOLDEN=1 rewrites what is expected.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "formatter/format.h"

namespace tacet::formatter {
namespace {

namespace fs = std::filesystem;

auto read(const fs::path& path) -> std::string {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

auto is_fixture(const fs::path& path) -> bool {
  return path.extension() == ".tacet" || path.extension() == ".tlhe";
}

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

TEST(Format, Fixtures) {
  size_t n_fixtures = 0;
  for (const auto& entry : fs::directory_iterator(TACET_SOURCE_DIR "/tests/fmt")) {
    if (!is_fixture(entry.path())) {
      continue;
    }
    ++n_fixtures;
    fs::path expected_path = fs::path(entry.path()).replace_extension(".expected");
    const std::string text = read(entry.path());
    std::string actual =
        format(text, syntax::language_of(entry.path().string()), Edits::NotWanted, style_of(text))
            .text;
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
      std::ofstream(expected_path, std::ios::binary) << actual;
    } else {
      EXPECT_EQ(actual, read(expected_path)) << entry.path();
    }
  }
  EXPECT_GT(n_fixtures, 10U);
}

TEST(Format, EveryExpectationHasItsFixture) {
  for (const auto& entry : fs::directory_iterator(TACET_SOURCE_DIR "/tests/fmt")) {
    if (entry.path().extension() == ".expected") {
      EXPECT_TRUE(fs::exists(fs::path(entry.path()).replace_extension(".tacet")) ||
                  fs::exists(fs::path(entry.path()).replace_extension(".tlhe")))
          << entry.path();
    }
  }
}

}  // namespace
}  // namespace tacet::formatter
