#include "tests/harness/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include "tests/harness/files.h"
#include "tests/harness/sections.h"

namespace tacet::harness {

namespace fs = std::filesystem;

auto is_updating_golden() -> bool {
  return std::getenv("UPDATE_GOLDEN") != nullptr;
}

void expect_golden(const fs::path& path, std::string_view found) {
  if (is_updating_golden()) {
    if (!fs::exists(path) || read_file(path) != found) {
      write_file(path, found);
    }
    return;
  }
  ASSERT_TRUE(fs::exists(path)) << path << " is missing";
  EXPECT_EQ(found, read_file(path)) << path;
}

void expect_no_orphans(const std::vector<fs::path>& golden, const std::vector<fs::path>& sources) {
  std::set<fs::path> stems;
  for (const fs::path& source : sources) {
    stems.insert(fs::path(source).replace_extension());
  }
  for (const fs::path& path : golden) {
    EXPECT_EQ(stems.count(fs::path(path).replace_extension()), 1U) << path << " is of no source";
  }
}

static auto read_cases(const fs::path& path) -> std::vector<Case> {
  std::vector<Case> cases;
  bool is_expected = true;
  size_t number = 0;
  for (const std::string& line : lines_of(read_file(path))) {
    ++number;
    if (line.starts_with("=== ")) {
      EXPECT_TRUE(is_expected) << path << ":" << number << ": the case above has no `---`";
      cases.push_back({line.substr(4), {}, {}});
      is_expected = false;
    } else if (line == "---" && !is_expected) {
      is_expected = true;
    } else if (!cases.empty()) {
      (is_expected ? cases.back().expected : cases.back().source) += line + "\n";
    } else {
      EXPECT_EQ(line, "") << path << ":" << number << ": in front of the first case";
    }
  }
  EXPECT_TRUE(is_expected) << path << ": the last case has no `---`";
  for (Case& test : cases) {
    while (test.expected.ends_with("\n\n") || test.expected == "\n") {
      test.expected.pop_back();
    }
  }
  return cases;
}

void expect_cases(const fs::path& path, const std::function<std::string(const Case&)>& answer) {
  const std::vector<Case> cases = read_cases(path);
  ASSERT_FALSE(cases.empty()) << path;
  std::string text;
  for (const Case& test : cases) {
    SCOPED_TRACE(fmt::format("{}: {}", path.string(), test.title));
    const std::string found = answer(test);
    if (!is_updating_golden()) {
      EXPECT_EQ(found, test.expected);
    }
    text += fmt::format("{}=== {}\n{}---\n{}", text.empty() || text.ends_with("\n\n") ? "" : "\n",
                        test.title, test.source, found);
  }
  if (is_updating_golden()) {
    expect_golden(path, text);
  }
}

static auto as_name(std::string text) -> std::string {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

auto name_of_file(const ::testing::TestParamInfo<fs::path>& info) -> std::string {
  return as_name(info.param.stem().string());
}

auto name_below_folder(const ::testing::TestParamInfo<fs::path>& info) -> std::string {
  return as_name(info.param.parent_path().filename().string() + "_" + info.param.stem().string());
}

}  // namespace tacet::harness
