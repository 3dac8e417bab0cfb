// Runs the fixtures of this folder: NAME.tacet (or .tlhe) is formatted and compared with
// NAME.expected. UPDATE_GOLDEN=1 rewrites what is expected.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

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

TEST(Format, Fixtures) {
  size_t n_fixtures = 0;
  for (const auto& entry : fs::directory_iterator(TACET_SOURCE_DIR "/tests/fmt")) {
    if (!is_fixture(entry.path())) {
      continue;
    }
    ++n_fixtures;
    fs::path expected_path = fs::path(entry.path()).replace_extension(".expected");
    std::string actual =
        format(read(entry.path()), syntax::language_of(entry.path().string())).text;
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
