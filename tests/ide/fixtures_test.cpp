// Runs every tests/ide/*.test. A file is a row of cases:
//
//   === feature: what the case shows
//   //- /other.tacet        a further file, up to the next such line
//   …
//   //- /a.tacet
//   text with $0 where the cursor is, and $1 where the selection ends if something is selected
//   ---
//   what the feature gives
//
// Features are those of `ide::Analysis`. `hovers` needs no cursor: every `^` in a comment of its
// own points at the character above. UPDATE_GOLDEN=1 rewrites what is given.

#include <dirent.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/ide/fixture.h"

namespace tacet::ide {
namespace {

constexpr const char* kFolder = TACET_SOURCE_DIR "/tests/ide";

auto fixtures() -> std::vector<std::string> {
  std::vector<std::string> names;
  if (DIR* entries = opendir(kFolder)) {
    while (const dirent* entry = readdir(entries)) {
      std::string name = entry->d_name;
      if (name.ends_with(".test")) {
        names.push_back(name.substr(0, name.size() - 5));
      }
    }
    closedir(entries);
  }
  std::sort(names.begin(), names.end());
  return names;
}

class FeatureFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(FeatureFixture, SaysWhatIsWritten) {
  const std::string path = fmt::format("{}/{}.test", kFolder, GetParam());
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::vector<Case> cases = read_cases(text.str());
  ASSERT_FALSE(cases.empty());
  const bool is_updating = std::getenv("UPDATE_GOLDEN") != nullptr;
  for (Case& test : cases) {
    const std::string found = Fixture(test).answer();
    if (is_updating) {
      test.expected = found;
    } else {
      EXPECT_EQ(found, test.expected) << test.name;
    }
  }
  if (is_updating && write_cases(cases) != text.str()) {
    std::ofstream(path) << write_cases(cases);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, FeatureFixture, ::testing::ValuesIn(fixtures()),
                         [](const auto& entry) { return entry.param; });

}  // namespace
}  // namespace tacet::ide
