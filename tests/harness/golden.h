#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tacet::harness {

/// Is UPDATE_GOLDEN set, which makes tests write what they find instead of expecting it?
auto is_updating_golden() -> bool;

/// Expects that a file holds `found`, or writes that.
void expect_golden(const std::filesystem::path& path, std::string_view found);

/// Expects that each of the `golden` files is beside a source of that name.
void expect_no_orphans(const std::vector<std::filesystem::path>& golden,
                       const std::vector<std::filesystem::path>& sources);

/// A question and its answer, one of several in a file:
///
///     === TITLE
///     source
///     ---
///     what is expected
///
/// Blank lines between cases count for none of them.
struct Case {
  std::string title;
  std::string source;
  std::string expected;
};

/// Expects of each case of a file what `answer` gives, or writes that into the file.
void expect_cases(const std::filesystem::path& path,
                  const std::function<std::string(const Case&)>& answer);

/// The name of a test on one file, for `INSTANTIATE_TEST_SUITE_P`: that of the file.
auto name_of_file(const ::testing::TestParamInfo<std::filesystem::path>& info) -> std::string;

/// The same with the name of its folder in front, for files below a folder.
auto name_below_folder(const ::testing::TestParamInfo<std::filesystem::path>& info) -> std::string;

}  // namespace tacet::harness
