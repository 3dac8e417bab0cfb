// Merged equal steps cost the same as all of them.

#include "compiler/he/lower/merge_trace.h"

#include <gtest/gtest.h>

#include <random>

#include "base/value.h"
#include "compiler/he/lower/integer_levels.h"
#include "compiler/he/lower/prime_finder.h"
#include "engine/program/he/text.h"
#include "tests/he_program/random_he_program.h"

namespace tacet::he_lower {
namespace {

auto setting_for(const engine::HeProgram& program, he::Scheme scheme) -> Setting {
  Setting setting{.scheme = scheme,
                  .ring_dimension = program.ring_dimension(),
                  .plain_modulus = program.modulus,
                  .data_prime_bits = std::vector<unsigned>(program.n_primes, 45),
                  .special_prime_bits = {45}};
  EXPECT_TRUE(PrimeFinder(setting.ring_dimension, setting.plain_modulus).find(setting));
  return setting;
}

/// Simulated with drops that cost so many bits at most.
auto simulated(const Trace& trace, const Setting& setting, double loss) -> Outcome {
  IntegerSimulation simulation(trace, setting, he::default_operation_times());
  return simulation.run(loss, simulation.full_caps());
}

void expect_same(const Trace& trace, const Setting& setting) {
  const Trace alike = merged(trace);
  for (const double loss : {0.5, 8.0, 26.0}) {
    const Outcome all = simulated(trace, setting, loss);
    const Outcome few = simulated(alike, setting, loss);
    EXPECT_EQ(few.levels.of_group, all.levels.of_group);
    EXPECT_EQ(few.levels.of_statement, all.levels.of_statement);
    EXPECT_EQ(few.budget, all.budget);
    EXPECT_NEAR(few.microseconds, all.microseconds, 1e-9 * all.microseconds);
  }
}

TEST(MergeTrace, SimulatesTheSame) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 100; ++i) {
    const engine::HeProgram program =
        engine::random_he_program(random, {.n_columns = 2048, .n_statements = 30});
    for (const he::Scheme scheme : {he::Scheme::Bfv, he::Scheme::Bgv}) {
      SCOPED_TRACE(engine::to_text(program));
      expect_same(trace_of(program), setting_for(program, scheme));
    }
  }
}

TEST(MergeTrace, IterationsThatDoNotNeedEachOtherAreOne) {
  const engine::HeProgram program = value(engine::parse_he_program(
      "he_program 1\nslots 2 x 2048\nmodulus 65537\nprimes 4\ninput a[64, 8] from client\n"
      "cipher x[r:64] = a[r, i] over (i:8)\ncipher y[64]\n"
      "for r: 64 {\n  y[r] = mul x[r], x[r]\n  y[r] = relinearise y[r]\n  y[r] = rotate y[r], "
      "r\n}\n"
      "output o[64, 8] over (r:64, i:8) [r, i] = y[r] at 0, i\n"));
  const Trace trace = trace_of(program);
  EXPECT_EQ(trace.steps.size(), 192U);
  // A rotation by nothing is none.
  EXPECT_EQ(merged(trace).steps.size(), 5U);
  EXPECT_EQ(merged(trace).n_inputs(), 1U);
  EXPECT_EQ(merged(trace).outputs.size(), 64U);
  expect_same(trace, setting_for(program, he::Scheme::Bgv));
}

}  // namespace
}  // namespace tacet::he_lower
