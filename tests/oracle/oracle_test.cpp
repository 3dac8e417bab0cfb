// A function computes what the specification that it implements says: both are run by the
// reference interpreter, on values at the edges of their types and on random ones.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/explanation.h"
#include "compiler/run/oracle/deep_check.h"
#include "tests/harness/files.h"

namespace tacet::oracle {
namespace {

namespace fs = std::filesystem;

struct Program {
  std::string name;
  std::string text;
};

/// The examples, the fixtures that are meant to be run or to conform, and the programs of the
/// pages.
auto all_programs() -> std::vector<Program> {
  std::vector<Program> programs;
  for (const char* folder :
       {"examples", "tests/run", "tests/check/rules", "tests/check/conformance"}) {
    for (const fs::path& path : harness::find_files({.folder = folder,
                                .endings = {".tacet"},
                                .least = 8,
                                .depth = harness::Depth::Below})) {
      programs.push_back({path.string(), harness::read_file(path)});
    }
  }
  for (DiagnosticCode code : all_codes()) {
    for (const PageProgram& program : page_programs(explanation(code))) {
      // What differs when it runs is no example of a function that conforms.
      const bool is_found_by_running = code_name(code)[1] == '8' || code == DiagnosticCode::T3030 ||
                                       code == DiagnosticCode::T3032 ||
                                       code == DiagnosticCode::T3050;
      if (is_found_by_running && program.expectation == Expectation::Fails) {
        continue;
      }
      programs.push_back({fmt::format("{}.md:{}", code_name(code), program.line), program.text});
    }
  }
  return programs;
}

/// Runs what a program says against its specifications, if it has no errors.
auto check_deeply(const Program& program, size_t n_runs) -> DeepCheck {
  program::Frontend frontend;
  FileId file = frontend.set_file("program.tacet", program.text);
  program::FrontendSnapshot snapshot = frontend.snapshot();
  std::vector<Diagnostic> diagnostics = snapshot.diagnostics(file);
  if (std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
        return diagnostic.severity == Severity::Error;
      })) {
    return {};
  }
  RunOptions options;
  options.n_runs = n_runs;
  SequentialExecutor executor;
  return deep_check(snapshot, {file}, options, executor);
}

TEST(Oracle, FunctionsComputeWhatTheirSpecificationsSay) {
  size_t n_compared = 0;
  size_t n_runs = 0;
  for (const Program& program : all_programs()) {
    if (program.name.find("/fail_") != std::string::npos) {
      continue;  // some compute other things, and a warning says so
    }
    DeepCheck found = check_deeply(program, 40);
    n_compared += found.n_compared;
    n_runs += found.n_runs;
    for (const Diagnostic& diagnostic : found.diagnostics) {
      EXPECT_NE(diagnostic.severity, Severity::Error) << program.name << ": " << diagnostic.message;
    }
  }
  // Enough of them, and enough that terminated, to be significant.
  EXPECT_GT(n_compared, 150U);
  EXPECT_GT(n_runs, 25 * n_compared);
}

/// The messages of a program's deep check, a line each.
auto messages(std::string text) -> std::string {
  std::string all;
  for (const Diagnostic& diagnostic : check_deeply({"", std::move(text)}, 2000).diagnostics) {
    all += fmt::format("{} {}\n", code_name(diagnostic.code), diagnostic.message);
  }
  return all;
}

constexpr std::string_view kHead = R"(#version 0.1.0
tmln time(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }
)";

/// The values are the smallest of those that show it.
TEST(Oracle, ShowsWhereMembersOfAClassDiffer) {
  EXPECT_EQ(messages(fmt::format("{}{}", kHead, R"(feq same {
    val at_edges(x: i8, y: i8) -> i8 { returns 0 if x == 127 && y > 3 else x }
    val always(x: i8, y: i8) -> i8 { returns x }
})")),
            "T3032 `always` and `at_edges` differ on x = 127, y = 4\n");
}

TEST(Oracle, ShowsWhereADeviceFunctionDiffers) {
  EXPECT_EQ(messages(fmt::format("{}{}", kHead, R"(
val twice(x: i32) -> i32 { returns x + x }
fn(he) twice_he(x: secret i32) -> secret i32 impls twice { x + 3 }
)")),
            "T3030 `twice_he` and its specification `twice` differ on x = 0\n");
}

/// The pages of what only a deep check finds.
TEST(Oracle, FindsWhatThePagesShow) {
  for (DiagnosticCode code :
       {DiagnosticCode::T3030, DiagnosticCode::T3031, DiagnosticCode::T3032}) {
    for (const PageProgram& program : page_programs(explanation(code))) {
      const std::vector<Diagnostic> found = check_deeply({"", program.text}, 100).diagnostics;
      const bool fails = program.expectation == Expectation::Fails;
      ASSERT_EQ(found.size(), fails ? 1U : 0U) << code_name(code) << ", line " << program.line;
      if (fails) {
        EXPECT_EQ(found[0].code, code) << "line " << program.line;
      }
    }
  }
}

TEST(Oracle, SaysWhatItDidNotRun) {
  EXPECT_EQ(messages(fmt::format("{}{}", kHead, R"(
type R = { a: i64 };
val same(x: i64) -> i64 { returns x }
fn same_impl(r: R) -> i64 impls same, time, space { r.a }
)")),
            "T3031 `same_impl` was not run: its parameter `r` is of type `{a: i64}`\n");
}

}  // namespace
}  // namespace tacet::oracle
