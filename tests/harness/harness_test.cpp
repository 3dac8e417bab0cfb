// What the harness must notice.

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/harness/sections.h"

namespace tacet::harness {
namespace {

namespace fs = std::filesystem;

/// A file that the test may write.
auto file_with(std::string_view text) -> fs::path {
  const fs::path path = fs::path(testing::TempDir()) / "tacet_harness" / "cases.test";
  write_file(path, text);
  return path;
}

auto shouted(const Case& test) -> std::string {
  return test.source == "quiet\n" ? "QUIET\n" : "LOUD\n";
}

TEST(Harness, FindsFilesInOrderOrAborts) {
  const auto found = find_files({.folder = "tests/harness", .endings = {".cpp", ".h"}, .least = 3});
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  EXPECT_DEATH(find_files({.folder = "tests/harness", .endings = {".cpp"}, .least = 100}),
               "expected at least 100");
  EXPECT_DEATH(find_files({.folder = "tests/harness", .endings = {".tacet"}}), "has 0 such files");
  EXPECT_DEATH(read_file(source_path("tests/harness/missing")), "missing");
}

TEST(Harness, SplitsTexts) {
  const Sections found = split_sections("front\n//- one two \r\na\nb\n//-x\n//- three");
  EXPECT_EQ(found.front, "front\n");
  ASSERT_EQ(found.sections.size(), 2U);
  EXPECT_EQ(found.sections[0].heading, "one two");
  EXPECT_EQ(found.sections[0].body, "a\nb\n//-x\n");
  EXPECT_EQ(found.sections[1].heading, "three");
  EXPECT_EQ(found.sections[1].line, 6U);
  EXPECT_EQ(split_files("\n//- /a\nx", "/b").size(), 1U);
  EXPECT_EQ(split_files("y\n//- /a\nx", "/b").front().path, "/b");
  EXPECT_EQ(split_files("", "/b").size(), 1U);
}

TEST(Harness, ComparesWithGoldenText) {
  ::unsetenv("UPDATE_GOLDEN");
  const fs::path path = file_with("as it was\n");
  expect_golden(path, "as it was\n");
  EXPECT_NONFATAL_FAILURE(expect_golden(path, "other\n"), "other");
  EXPECT_FATAL_FAILURE(expect_golden(fs::path(testing::TempDir()) / "no_such_file", ""),
                       "is missing");
  EXPECT_NONFATAL_FAILURE(expect_no_orphans({"/x/a.expected"}, {"/x/b.tacet"}), "is of no source");
  ::setenv("UPDATE_GOLDEN", "1", 1);
  expect_golden(path, "new\n");
  ::unsetenv("UPDATE_GOLDEN");
  EXPECT_EQ(read_file(path), "new\n");
}

TEST(Harness, ComparesCases) {
  ::unsetenv("UPDATE_GOLDEN");
  expect_cases(file_with("=== a\nquiet\n---\nQUIET\n\n=== b\n---\nLOUD\n"), shouted);
  EXPECT_NONFATAL_FAILURE(expect_cases(file_with("=== a\nquiet\n---\nLOUD\n"), shouted), "QUIET");
  EXPECT_NONFATAL_FAILURE(
      expect_cases(file_with("=== a\nquiet\n=== b\nquiet\n---\nQUIET\n"),
                   [](const Case& test) { return test.title == "a" ? "" : "QUIET\n"; }),
      "the case above has no");
  EXPECT_NONFATAL_FAILURE(expect_cases(file_with("==== a\n=== b\n---\nLOUD\n"), shouted),
                          "in front of the first case");
  EXPECT_FATAL_FAILURE(expect_cases(file_with("\n"), shouted), "cases.empty()");
  ::setenv("UPDATE_GOLDEN", "1", 1);
  const fs::path path = file_with("=== a\nquiet\n---\n\n=== b\n---\n");
  expect_cases(path, shouted);
  ::unsetenv("UPDATE_GOLDEN");
  EXPECT_EQ(read_file(path), "=== a\nquiet\n---\nQUIET\n\n=== b\n---\nLOUD\n");
}

}  // namespace
}  // namespace tacet::harness
