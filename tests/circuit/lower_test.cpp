#include "compiler/he/circuit/lower.h"

#include <gtest/gtest.h>

#include "compiler/he/circuit/counts.h"
#include "compiler/he/circuit/evaluate.h"
#include "compiler/he/circuit/print.h"
#include "compiler/he/circuit/validate.h"
#include "engine/program/he/text.h"
#include "tests/circuit/random_circuit.h"

namespace tacet::circuit {
namespace {

TEST(Lower, ProgramsDoWhatRandomCircuitsMean) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    const Circuit circuit = random_circuit(random);
    const Status status = validate(circuit);
    ASSERT_TRUE(status) << status.error().message << "\nseed " << seed << "\n" << to_text(circuit);
    const LowerOptions options{.tree_extent = seed % 3 == 0 ? 3 : 256};
    Result<engine::HeProgram> program = lower(circuit, options);
    ASSERT_TRUE(program) << program.error().message << "\nseed " << seed << "\n"
                         << to_text(circuit);
    const engine::HeValues values = random_values(random, circuit, options.modulus);
    const auto meant = evaluate(circuit, options.modulus, values);
    ASSERT_TRUE(meant);
    for (const auto& garbage :
         {std::optional<uint64_t>(), std::optional<uint64_t>(5), std::optional<uint64_t>(6)}) {
      const auto done = engine::run_in_the_clear(program.value(), values, garbage);
      ASSERT_TRUE(done) << done.error().message;
      ASSERT_EQ(done.value(), meant.value().outputs)
          << "seed " << seed << "\n"
          << to_text(circuit) << engine::to_text(program.value());
    }
  }
}

TEST(Lower, NothingIsComputedTwice) {
  for (uint64_t seed = 1000; seed < 1400; ++seed) {
    std::mt19937_64 random(seed);
    const Circuit circuit = random_circuit(random);
    const Result<engine::HeProgram> program = lower(circuit);
    ASSERT_TRUE(program) << program.error().message;
    Counts expected = counts_of(circuit);
    const Counts counts = counts_of(program.value());
    // Which sources have a rotation by zero is not compared.
    EXPECT_LE(expected.hoisted_rotations, counts.hoisted_rotations);
    expected.hoisted_rotations = counts.hoisted_rotations;
    ASSERT_EQ(counts, expected) << "seed " << seed << "\n"
                                << to_text(circuit) << engine::to_text(program.value());
  }
}

}  // namespace
}  // namespace tacet::circuit
