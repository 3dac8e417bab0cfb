// What cannot be rewritten: the programs of pages have their diagnostic alone, and where a file of
// `problems` has `//~ TXXXX text`, it is reported on that line, and nothing else.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/explanation.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/kernel/random_function.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::oblivious {
namespace {

TEST(ObliviousProblems, OfPagesAreReported) {
  for (DiagnosticCode code : {DiagnosticCode::T5030, DiagnosticCode::T5031, DiagnosticCode::T5032,
                              DiagnosticCode::T5033, DiagnosticCode::T5034}) {
    size_t n_programs = 0;
    for (const PageProgram& program : page_programs(explanation(code))) {
      ++n_programs;
      const ObliviousForm form = make_oblivious(kernel_of(program.text));
      const bool fails = program.expectation == Expectation::Fails;
      EXPECT_EQ(form.is_oblivious, !fails) << code_name(code) << program.text;
      EXPECT_EQ(form.diagnostics.size(), fails ? 1U : 0U) << code_name(code) << program.text;
      for (const Diagnostic& diagnostic : form.diagnostics) {
        EXPECT_EQ(diagnostic.code, code) << diagnostic.message;
        EXPECT_FALSE(diagnostic.labels.empty());
        EXPECT_FALSE(diagnostic.notes.empty());
      }
    }
    EXPECT_EQ(n_programs, 2U);
  }
}

/// `line: TXXXX message`, by line.
auto reported(const std::string& text) -> std::set<std::string> {
  std::set<std::string> reported;
  const kernel::Kernel kernel = kernel_of(text);
  const ObliviousForm form = make_oblivious(kernel);
  EXPECT_TRUE(form.diagnostics.empty() || may_have_problems(kernel, analyse_secrecy(kernel)))
      << text;
  for (const Diagnostic& diagnostic : form.diagnostics) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + diagnostic.place.range.begin, '\n');
    reported.insert(fmt::format("{}: {} {}", line, code_name(diagnostic.code), diagnostic.message));
  }
  return reported;
}

auto expected(const std::string& text) -> std::set<std::string> {
  std::set<std::string> expected;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const size_t at = line.find("//~");
    if (at != std::string::npos) {
      EXPECT_EQ(line.substr(at, 5), "//~ T") << number << ": malformed annotation: " << line;
      expected.insert(fmt::format("{}: {}", number, line.substr(at + 4)));
    }
  }
  return expected;
}

/// Without `text`, a word and a number, wherever they stand.
auto without(std::string text, const std::string& pattern) -> std::string {
  return std::regex_replace(text, std::regex(pattern), "");
}

/// Random functions of which some lost the bounds of their loops.
TEST(ObliviousProblems, AreForeseen) {
  size_t n_reported = 0;
  size_t n_free = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    std::string text = testing::random_function(testing::FunctionShape::Steered, seed);
    text = seed % 3 == 0 ? text : without(text, " max [0-9]+");
    text = seed % 3 == 1 ? text : without(text, " in -?[0-9]+\\.\\.-?[0-9]+(?=[,)])");
    const std::optional<kernel::Kernel> kernel = find_kernel(text);
    if (!kernel) {
      continue;
    }
    const bool may_have = may_have_problems(*kernel, analyse_secrecy(*kernel));
    const bool has = !make_oblivious(*kernel).diagnostics.empty();
    EXPECT_TRUE(may_have || !has) << text;
    n_reported += has ? 1 : 0;
    n_free += may_have ? 0 : 1;
  }
  EXPECT_GE(n_reported, 50U);
  EXPECT_GE(n_free, 50U);
}

class ObliviousProblemsOf : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(ObliviousProblemsOf, AreReportedInPlace) {
  const std::string text = harness::read_file(GetParam());
  EXPECT_EQ(reported(text), expected(text));
}

INSTANTIATE_TEST_SUITE_P(
    Files, ObliviousProblemsOf,
    ::testing::ValuesIn(harness::find_files(
        {.folder = "tests/oblivious/problems", .endings = {".tacet"}, .least = 7})),
    harness::name_of_file);

}  // namespace
}  // namespace tacet::oblivious
