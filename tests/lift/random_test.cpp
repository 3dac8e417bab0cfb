// Random functions: what they are lifted to means what they mean, and so does what is compiled for
// encryption, in plaintext and with random values in slots that do not matter; a few really
// encrypted.

#include <gtest/gtest.h>

#include "compiler/device/array/find_fault.h"
#include "compiler/device/array/print.h"
#include "tests/kernel/random_function.h"
#include "tests/lift/lifted.h"

namespace tacet::lift {
namespace {

/// Those that are lifted, of which there must be so many, mean what the kernels do.
void expect_the_same(testing::FunctionShape shape, uint64_t n_functions, size_t least) {
  size_t n_lifted = 0;
  for (uint64_t seed = 0; seed < n_functions; ++seed) {
    const std::string text = testing::random_function(shape, seed, "he");
    SCOPED_TRACE(::testing::Message() << "function " << seed << "\n" << text);
    const LiftedFunction function = lifted_function(text);
    if (!function.lifting.program) {
      EXPECT_FALSE(function.lifting.diagnostics.empty());
      continue;
    }
    ++n_lifted;
    const array::Program& program = *function.lifting.program;
    SCOPED_TRACE(array::print(program));
    ASSERT_EQ(array::find_fault(program), "");
    std::mt19937_64 random(seed);
    for (int round = 0; round < 3; ++round) {
      const std::vector<array::Elements> inputs = random_inputs(program, random);
      const std::optional<array::Elements> expected = reference_output(function.kernel, inputs);
      ASSERT_TRUE(expected);
      ASSERT_EQ(array::evaluate(program, inputs).output(), *expected);
    }
  }
  EXPECT_GE(n_lifted, least);
}

TEST(RandomFunctions, AreLiftedToWhatTheyMean) {
  expect_the_same(testing::FunctionShape::Arrays, 600, 540);
}

TEST(RandomStates, AreLiftedToWhatTheyMean) {
  expect_the_same(testing::FunctionShape::States, 400, 350);
}

auto n_exprs(const array::Program& program) -> size_t {
  size_t n = 0;
  for (const array::Statement& statement : program.statements) {
    n += statement.exprs.size();
  }
  return n;
}

TEST(RandomFunctions, AreCompiledToWhatTheyMean) {
  constexpr uint64_t kFunctions = 80;
  size_t n_right = 0;
  size_t n_encrypted = 0;
  for (uint64_t seed = 0; seed < kFunctions; ++seed) {
    const std::string text = testing::random_function(testing::FunctionShape::Arrays, seed, "he");
    SCOPED_TRACE(::testing::Message() << "function " << seed << "\n" << text);
    const LiftedFunction function = lifted_function(text);
    if (!function.lifting.program || n_exprs(*function.lifting.program) > 30) {
      continue;
    }
    const array::Program& program = *function.lifting.program;
    const he_lower::Compilation compilation = he_lower::compile(program, {});
    if (!compilation.compiled) {
      // Some numbers are too large, some products too deep.
      EXPECT_TRUE(!compilation.problem.empty() || !compilation.diagnostics.empty());
      continue;
    }
    ++n_right;
    std::mt19937_64 random(seed);
    const std::vector<array::Elements> inputs = random_inputs(program, random);
    const std::optional<array::Elements> expected = reference_output(function.kernel, inputs);
    ASSERT_TRUE(expected);
    EXPECT_EQ(clear_output(*compilation.compiled, program, inputs), *expected);
    if (n_encrypted < 3 && compilation.compiled->parts.front().ring_dimension <= 16384) {
      ++n_encrypted;
      EXPECT_EQ(encrypted_output(*compilation.compiled, program, inputs), *expected);
    }
  }
  EXPECT_GE(n_right, kFunctions * 3 / 10);
  EXPECT_GT(n_encrypted, 0U);
}

}  // namespace
}  // namespace tacet::lift
