// The functions of `programs` beside the array programs that they are lifted to, or what is wrong:
// `NAME.array`. UPDATE_GOLDEN=1 writes them anew: read the difference. What was lifted means what
// the kernel means.

#include "compiler/he/lift/lift.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/array/evaluate.h"
#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/print.h"
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
  for (int turn = 0; turn < 5; ++turn) {
    const std::vector<array::Elements> inputs = random_inputs(program, random);
    const std::optional<array::Elements> expected = reference_output(function.kernel, inputs);
    ASSERT_TRUE(expected);
    EXPECT_EQ(array::evaluate(program, inputs).output(), *expected);
  }
}

TEST(Lift, MakesTheProgramsWrittenBeside) {
  for (const std::string& path : program_paths()) {
    SCOPED_TRACE(path);
    const LiftedFunction function = lifted_function(read_file(path));
    const std::string found = text_of(function.lifting);
    const std::string beside = std::filesystem::path(path).replace_extension(".array").string();
    if (std::getenv("UPDATE_GOLDEN") != nullptr) {
      std::ofstream(beside, std::ios::binary) << found;
    }
    EXPECT_EQ(found, read_file(beside));
    const bool fails = std::filesystem::path(path).filename().string().rfind("fail_", 0) == 0;
    EXPECT_EQ(function.lifting.program.has_value(), !fails);
    if (function.lifting.program && path.find("1024") == std::string::npos) {
      expect_same_meaning(function);
    }
  }
}

}  // namespace
}  // namespace tacet::lift
