#include "problems/problems.h"

#include <gtest/gtest.h>

namespace tacet::problems {
namespace {

TEST(Problems, AreThoseOfEachFile) {
  program::Frontend frontend;
  const std::vector<FileId> files = frontend.set_files(
      {{"a.tacet", "#version 0.1.0\nconst a = b\n"}, {"b.tacet", "#version 0.1.0\n"}});
  SequentialExecutor executor;
  const auto found = [&](Until until) {
    return find(frontend.snapshot(), files, {.until = until}, executor);
  };
  const auto results = found(Until::Devices);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].size(), 1U);
  EXPECT_TRUE(results[1].empty());
  EXPECT_TRUE(found(Until::Syntax)[0].empty());
  EXPECT_EQ(found(Until::Names)[0].size(), 1U);
}

/// A finding of the linter, on its own and among the problems of the compiler.
TEST(Problems, AreInTheOrderOfTheText) {
  program::Frontend frontend;
  const FileId file = frontend.set_file("a.tacet",
                                        "#version 0.1.0\n"
                                        "const a = b\n"
                                        "fn(he) f(x: i64) -> i64 { let unused = x; x }\n"
                                        "const c = d\n");
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  const Question lint = {.until = std::nullopt, .lint = linter::LintOptions{}};
  const size_t n_findings = find(snapshot, file, lint).size();
  EXPECT_GE(n_findings, 1U);
  std::vector<Diagnostic> all = find(snapshot, file, {.lint = linter::LintOptions{}});
  EXPECT_EQ(all.size(), find(snapshot, file, {}).size() + n_findings);
  const std::vector<Diagnostic> found = all;
  sort_diagnostics(all);
  EXPECT_EQ(found, all);
  size_t n_visited = 0;
  EXPECT_EQ(find(snapshot, file, linter::Settings{},
                 [&](query::Context&, linter::FoundInFile&) { ++n_visited; }),
            all);
  EXPECT_EQ(n_visited, all.size());
}

}  // namespace
}  // namespace tacet::problems
