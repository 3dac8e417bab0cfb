// Functions beside the programs that they become: tests/mpc_lower/programs/NAME.tacet and
// NAME.tmpc.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/explanation.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/lower.h"
#include "engine/program/mpc/text.h"
#include "engine/program/mpc/validate.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::mpc_lower {
namespace {

namespace fs = std::filesystem;

auto sources() -> std::vector<fs::path> {
  return harness::find_files(
      {.folder = "tests/mpc_lower/programs", .endings = {".tacet"}, .least = 9});
}

class MpcPrograms : public ::testing::TestWithParam<fs::path> {};

TEST_P(MpcPrograms, AreAsTheyWere) {
  const std::string source = harness::read_file(GetParam());
  LowerOptions options;
  options.line_of = [&](FileRange place) {
    return 1 + static_cast<uint32_t>(std::count(
                   source.begin(), source.begin() + static_cast<std::ptrdiff_t>(place.range.begin),
                   '\n'));
  };
  const auto form = oblivious::make_oblivious(oblivious::kernel_of(source));
  const Lowering lowering = lower(form.kernel, options);
  ASSERT_TRUE(lowering.program) << lowering.diagnostics.front().message;
  const auto fault = engine::find_fault(*lowering.program);
  EXPECT_FALSE(fault) << fault->message;
  harness::expect_golden(fs::path(GetParam()).replace_extension(".tmpc"),
                         engine::to_text(*lowering.program));
}

INSTANTIATE_TEST_SUITE_P(Files, MpcPrograms, ::testing::ValuesIn(sources()), harness::name_of_file);

TEST(Programs, AreOfSources) {
  harness::expect_no_orphans(
      harness::find_files({.folder = "tests/mpc_lower/programs", .endings = {".tmpc"}}), sources());
}

TEST(Programs, OfThePageAreReportedOrNot) {
  size_t n_programs = 0;
  for (const PageProgram& program : page_programs(explanation(DiagnosticCode::T6030))) {
    ++n_programs;
    const auto form = oblivious::make_oblivious(oblivious::kernel_of(program.text));
    const Lowering lowering = lower(form.kernel);
    EXPECT_EQ(lowering.program.has_value(), program.expectation != Expectation::Fails)
        << program.text;
    for (const Diagnostic& diagnostic : lowering.diagnostics) {
      EXPECT_EQ(diagnostic.code == DiagnosticCode::T6030, diagnostic.severity == Severity::Error)
          << diagnostic.message;
    }
  }
  EXPECT_EQ(n_programs, 11U);
}

}  // namespace
}  // namespace tacet::mpc_lower
