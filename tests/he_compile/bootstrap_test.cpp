// Programs that are too deep for their ring are bootstrapped: no part is deeper than it may be, and
// they compute the same.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/he/circuit/lower.h"
#include "compiler/he/circuit/print.h"
#include "compiler/he/lower/bound_registers.h"
#include "compiler/he/lower/encrypt_circuit.h"
#include "compiler/he/lower/key_memory.h"
#include "compiler/he/lower/place_bootstraps.h"
#include "engine/he_model/bootstrapping.h"
#include "engine/he_runtime/keys.h"
#include "engine/program/he/facts.h"
#include "engine/program/he/validate.h"
#include "tests/harness/rounds.h"
#include "tests/he_compile/run_parts.h"

namespace tacet::he_lower {
namespace {

using engine::HeProgram;

const InputRanges kRanges = {{"a", {-1, 1}}};

/// s = s * s * 0.25 + 0.25, so many times; two levels each.
auto deep_circuit(size_t n_columns, int n_steps) -> circuit::Circuit {
  std::string text = fmt::format(
      "circuit 1 x {0}\ninput a[64] from client\nconstant c = 0.25\n"
      "cipher s_0 = a[i] over (i:64) repeat\nnative c_1 = c over (i:{0}) repeat\n\n",
      n_columns);
  for (int i = 0; i < n_steps; ++i) {
    text += fmt::format("s_{} = s_{} * s_{} * c_1 + c_1\n", i + 1, i, i);
  }
  text += fmt::format("\noutput out[64] over (i:64) [i] = s_{} at 0, i\n", n_steps);
  return value(circuit::parse_circuit(text));
}

auto random_numbers(uint64_t seed) -> engine::HeValues {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  engine::HeValues values;
  for (int i = 0; i < 64; ++i) {
    values["a"].push_back(uniform(random));
  }
  return values;
}

TEST(Bootstrapped, DeepProgramsFitTheirRing) {
  constexpr int kSteps = 30;
  constexpr double kPrecision = 1e-3;
  const std::vector<Encryption> parts =
      value(encrypt_real_circuit(deep_circuit(32768, kSteps), kPrecision, &kRanges, {}));
  const Encryption& part = parts.front();
  EXPECT_LE(part.error, kPrecision);
  EXPECT_GE(part.budget, ChoiceOptions{}.margin);
  const engine::HeFacts facts = engine::facts_of(part.program);
  EXPECT_GE(facts.counts.of(engine::HeOpcode::Bootstrap, engine::HeOperationKind::Cipher), 3U);
  const he::ContextRef context = he::Context::make(parameters_of(part));
  EXPECT_TRUE(engine::check_fits(part.program, *context));

  // Of what the client makes, about.
  double bytes = 0;
  for (const auto& [element, n_primes] : engine::rotation_keys(facts, *context)) {
    const auto n_rows = static_cast<double>(n_primes + context->n_special());
    bytes += 16.0 * static_cast<double>(context->n() * context->n_digits(n_primes)) * n_rows;
  }
  EXPECT_NEAR(key_bytes(parts) / bytes, 1, 0.1);

  const engine::HeValues values = random_numbers(1);
  const engine::HeValues result = value(engine::run_in_the_clear(part.program, values, 1));
  for (size_t i = 0; i < 64; ++i) {
    double expected = values.at("a")[i];
    for (int step = 0; step < kSteps; ++step) {
      expected = expected * expected * 0.25 + 0.25;
    }
    EXPECT_NEAR(result.at("out")[i], expected, 1e-12);
  }
}

TEST(Bootstrapped, OnlyWhereItIsNeededAndHelps) {
  const auto n_bootstraps = [](const std::vector<Encryption>& parts) {
    return engine::facts_of(parts.front().program)
        .counts.of(engine::HeOpcode::Bootstrap, engine::HeOperationKind::Cipher);
  };
  EXPECT_EQ(n_bootstraps(value(encrypt_real_circuit(deep_circuit(32768, 5), 1e-3, &kRanges, {}))),
            0U);
  EXPECT_FALSE(encrypt_real_circuit(deep_circuit(32768, 30), 1e-10, &kRanges, {}));
  EXPECT_FALSE(encrypt_real_circuit(deep_circuit(16384, 30), 1e-3, &kRanges, {}));
  // Keys that are too large whatever is chosen are as small as they can be.
  ChoiceOptions small;
  small.most_key_bytes = 1;
  const std::vector<Encryption> least =
      value(encrypt_real_circuit(deep_circuit(32768, 30), 1e-3, &kRanges, small));
  const std::vector<Encryption> fastest =
      value(encrypt_real_circuit(deep_circuit(32768, 30), 1e-3, &kRanges, {}));
  EXPECT_GE(n_bootstraps(least), n_bootstraps(fastest));
  EXPECT_LE(key_bytes(least), key_bytes(fastest));
  ChoiceOptions secure;
  secure.security = he::Security::Bits192;
  EXPECT_FALSE(encrypt_real_circuit(deep_circuit(32768, 30), 1e-3, &kRanges, secure));
}

TEST(Bootstrapped, ShortProgramsLeaveTheirOperandEnoughPrimes) {
  for (const int n_steps : {1, 2}) {
    circuit::LowerOptions lower;
    lower.relinearisation = circuit::Relinearisation::Eager;
    HeProgram program = value(circuit::lower(deep_circuit(64, n_steps), lower));
    (void)bound_registers(kRanges, program);
    const uint32_t made = program.outputs.front().source.reg;
    engine::HeRegister reg;
    reg.name = "again";
    reg.bound = program.registers[made].bound;
    const auto again = static_cast<uint32_t>(program.registers.size());
    program.registers.push_back(reg);
    program.body.push_back({.opcode = engine::HeOpcode::Bootstrap,
                            .result = {.reg = again, .indices = {}},
                            .operands = {{.reg = made, .indices = {}}}});
    program.outputs.front().source.reg = again;
    const Trace trace = trace_of(program);
    const RealPlan plan = plan_rescaling(trace, Rescaling::Relinearised, RescaleResults::No);
    EXPECT_GE(plan.levels.of_statement.back(), trace.n_bootstrapped_primes);
    EXPECT_LE(plan.n_most, trace.n_bootstrapped_primes + 2 * static_cast<uint32_t>(n_steps));
  }
}

/// Sums and products of what was made shortly before, or long before.
auto random_program(std::mt19937_64& random) -> HeProgram {
  std::string text =
      "circuit 1 x 64\ninput a[64] from client\nconstant c = 0.25\n"
      "cipher s_0 = a[i] over (i:64) repeat\nnative c_1 = c over (i:64) repeat\n\n";
  const int n_steps = 5 + static_cast<int>(random() % 40);
  const auto earlier = [&](int step) {
    const int most = random() % 8 == 0 ? step : std::min(step, 3);
    return step - 1 - static_cast<int>(random() % static_cast<uint64_t>(most));
  };
  for (int i = 1; i <= n_steps; ++i) {
    const int a = earlier(i);
    const int b = earlier(i);
    const int d = earlier(i);
    switch (random() % 4) {
      case 0:
        text += fmt::format("s_{} = s_{} * c_1 + s_{} * c_1\n", i, a, b);
        break;
      case 1:
        text += fmt::format("s_{} = (rot(s_{}, {}) - s_{}) * c_1\n", i, a, 1 + random() % 63, b);
        break;
      default:
        text += fmt::format("s_{} = s_{} * s_{} * c_1 + s_{} * c_1\n", i, a, b, d);
    }
  }
  text += fmt::format("\noutput out[64] over (i:64) [i] = s_{} at 0, i\n", n_steps);
  circuit::LowerOptions lower;
  lower.relinearisation = circuit::Relinearisation::Eager;
  HeProgram program = value(circuit::lower(value(circuit::parse_circuit(text)), lower));
  (void)bound_registers(kRanges, program);
  std::optional<HeProgram> straight = straightened(std::move(program));
  EXPECT_TRUE(straight);
  return std::move(*straight);
}

TEST(Bootstrapped, NoPartIsDeeperThanItMayBe) {
  std::mt19937_64 random(7);
  size_t n_cut = 0;
  for (uint64_t round = 0; round < harness::rounds(200); ++round) {
    const HeProgram program = random_program(random);
    const uint32_t n_levels = 2 + static_cast<uint32_t>(random() % 8);
    const std::optional<HeProgram> placed =
        with_bootstraps(program, Rescaling::Relinearised, n_levels);
    if (!placed) {
      continue;
    }
    const RealPlan before =
        plan_rescaling(trace_of(program), Rescaling::Relinearised, RescaleResults::No);
    const RealPlan plan =
        plan_rescaling(trace_of(*placed), Rescaling::Relinearised, RescaleResults::No);
    const size_t n_operand = he::bootstrapping_shape(program.ring_dimension()).n_operand_primes();
    EXPECT_LE(plan.n_most, n_levels + n_operand) << round;
    n_cut += plan.n_most < before.n_most ? 1 : 0;
    const engine::HeValues values = random_numbers(random());
    EXPECT_EQ(value(engine::run_in_the_clear(*placed, values, 1)),
              value(engine::run_in_the_clear(program, values, 2)));
  }
  EXPECT_GT(n_cut, 50U);
}

}  // namespace
}  // namespace tacet::he_lower
