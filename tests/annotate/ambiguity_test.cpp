// What could be several nodes of the specification offers a tag for each of them, and any of these
// makes a program that checks.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/diagnostics/code.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::program {
namespace {

auto diagnostics_of(const std::string& text) -> std::vector<Diagnostic> {
  Frontend frontend;
  const FileId file = frontend.set_file("program.tacet", text);
  return frontend.snapshot().diagnostics(file);
}

/// A function whose body begins with `statements` that no result needs.
auto program(const std::string& statements) -> std::string {
  return R"(#version 0.1.0

tmln time(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }
val helper(x: i64) -> i64 { returns x }
fn helper_impl(x: i64) -> i64 impls helper, time, space { x }
val pair(x: i64) -> (i64, i64) { returns (x, x) }
fn pair_impl(x: i64) -> (i64, i64) impls pair, time, space { (x, x) }
val wanted(x: i64, c: bool) -> i64 {
    one_a :- 1
    one_b :- 1
    sum_a :- x + x
    sum_b :- x + x
    choice_a :- sum_c if c else diff_c
    choice_b :- sum_c if c else diff_c
    sum_c :- x * x
    diff_c :- x / x
    call_a :- helper(x)
    call_b :- helper(x)
    low_a, high_a :- pair(x)
    low_b, high_b :- pair(x)
    converted_a :- x as i32
    converted_b :- x as i32
    returns x
}
fn wanted_impl(x: i64, c: bool) -> i64 impls wanted, time, space {
)" + statements +
         "    x\n}\n";
}

void expect_fixes(const std::string& statements, size_t n_fixes) {
  const std::string text = program(statements);
  SCOPED_TRACE(statements);
  const std::vector<Diagnostic> found = diagnostics_of(text);
  ASSERT_FALSE(found.empty());
  for (const Diagnostic& diagnostic : found) {
    ASSERT_EQ(code_name(diagnostic.code), "T3003") << diagnostic.message;
    EXPECT_EQ(diagnostic.fixes.size(), n_fixes) << diagnostic.message;
    for (const Fix& fix : diagnostic.fixes) {
      const std::string fixed = apply_edits(text, sorted_edits(fix.edits));
      for (const Diagnostic& left : diagnostics_of(fixed)) {
        ADD_FAILURE() << fix.title << ": " << code_name(left.code) << " " << left.message << "\n"
                      << fixed;
      }
    }
  }
}

TEST(Ambiguity, IsEndedByEachTagThatIsOffered) {
  expect_fixes("    let y = 1;\n", 2);
  expect_fixes("    let y: i64 = 1;\n", 2);
  expect_fixes("    var y = 1;\n", 2);
  expect_fixes("    let y = x + x;\n", 2);
  expect_fixes("    let y = helper_impl(x);\n", 2);
  expect_fixes("    let y = x as i32;\n", 2);
  expect_fixes("    let y = if c { x * x } else { x / x };\n    let z = y;\n", 2);
  expect_fixes("    let y = x * x if c else x / x;\n    let z = y;\n", 2);
  expect_fixes("    let y = { let z = x; z + z };\n", 2);
}

TEST(Ambiguity, OfOneOfSeveralResultsIsEndedWhereItGetsItsName) {
  const std::string text = program("    let y, z = pair_impl(x);\n");
  const std::vector<Diagnostic> found = diagnostics_of(text);
  ASSERT_FALSE(found.empty());
  for (const Diagnostic& diagnostic : found) {
    ASSERT_FALSE(diagnostic.fixes.empty());
    for (const Fix& fix : diagnostic.fixes) {
      EXPECT_TRUE(diagnostics_of(apply_edits(text, sorted_edits(fix.edits))).empty()) << fix.title;
    }
  }
}

}  // namespace
}  // namespace tacet::program
