// The functions of `programs` beside the array programs that they are lifted to, or what is wrong:
// `NAME.array`. UPDATE_GOLDEN=1 writes them anew: read the difference. What was lifted means what
// the kernel means.

#include "compiler/he/lift/lift.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/print.h"
#include "tests/harness/files.h"
#include "tests/harness/golden.h"
#include "tests/lift/lifted.h"

namespace tacet::lift {
namespace {

auto text_of(const Lifting& lifting) -> std::string {
  std::string text = lifting.program ? array::print(*lifting.program) : "";
  for (const Diagnostic& diagnostic : lifting.diagnostics) {
    text += fmt::format("{}: {}\n", code_name(diagnostic.code), diagnostic.message);
    for (const std::string& note : diagnostic.notes) {
      text += fmt::format("  note: {}\n", note);
    }
  }
  return text;
}

void expect_same_meaning(const LiftedFunction& function) {
  const array::Program& program = *function.lifting.program;
  ASSERT_EQ(array::find_fault(program), "");
  std::mt19937_64 random(1);
  for (int round = 0; round < 5; ++round) {
    const std::vector<array::Elements> inputs = random_inputs(program, random);
    const std::optional<array::Elements> expected = reference_output(function.kernel, inputs);
    ASSERT_TRUE(expected);
    EXPECT_EQ(array::evaluate(program, inputs).output(), *expected);
  }
}

class LiftedPrograms : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(LiftedPrograms, AreWhatIsWrittenBeside) {
  const LiftedFunction function = lifted_function(harness::read_file(GetParam()));
  harness::expect_golden(std::filesystem::path(GetParam()).replace_extension(".array"),
                         text_of(function.lifting));
  const std::string name = GetParam().stem().string();
  EXPECT_EQ(function.lifting.program.has_value(), !name.starts_with("fail_"));
  if (function.lifting.program && name != "matvec_1024") {
    expect_same_meaning(function);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, LiftedPrograms, ::testing::ValuesIn(program_paths()),
                         harness::name_of_file);

TEST(LiftedGolden, IsBesidePrograms) {
  harness::expect_no_orphans(
      harness::find_files({.folder = "tests/lift/programs", .endings = {".array"}}),
      program_paths());
}

}  // namespace
}  // namespace tacet::lift
