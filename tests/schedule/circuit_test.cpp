#include <gtest/gtest.h>

#include "compiler/circuit/counts.h"
#include "compiler/circuit/evaluate.h"
#include "compiler/circuit/lower.h"
#include "compiler/circuit/validate.h"
#include "compiler/schedule/check.h"
#include "compiler/schedule/cost.h"
#include "compiler/schedule/make_circuit.h"
#include "engine/program/he_clear.h"
#include "tests/schedule/random_case.h"

namespace tacet::schedule {
namespace {

constexpr uint64_t kModulus = 65537;

auto inputs_of(const array::Program& program, const Elements& elements) -> engine::HeValues {
  engine::HeValues values;
  for (uint32_t i = 0; i < program.arrays.size(); ++i) {
    const array::Array& array = program.arrays[array::ArrayId{i}];
    if (array.owner != array::Owner::Computed) {
      values[array.name].assign(elements[i].begin(), elements[i].end());
    }
  }
  return values;
}

/// As an integer in [0, kModulus).
auto reduced(double number) -> int64_t {
  auto modulus = static_cast<int64_t>(kModulus);
  return (static_cast<int64_t>(number) % modulus + modulus) % modulus;
}

auto reduced(const std::vector<double>& numbers) -> std::vector<int64_t> {
  std::vector<int64_t> result;
  for (double number : numbers) {
    result.push_back(reduced(number));
  }
  return result;
}

/// Random programs in random schedules: how many circuits there were, all of which were tested.
template <class Body>
auto for_random_circuits(uint64_t first_seed, uint64_t n_programs, const Body& body) -> size_t {
  size_t n_circuits = 0;
  for (uint64_t seed = first_seed; seed < first_seed + n_programs; ++seed) {
    std::mt19937_64 random(seed);
    array::Program program = random_program(random);
    for (int attempt = 0; attempt < 4; ++attempt) {
      Schedule schedule = random_schedule(program, random);
      Result<circuit::Circuit> circuit = make_circuit(program, schedule);
      if (circuit) {
        SCOPED_TRACE(seed);
        body(program, schedule, *circuit, random);
        ++n_circuits;
      }
    }
  }
  return n_circuits;
}

TEST(MakeCircuit, ComputesWhatTheProgramSays) {
  size_t n_circuits =
      for_random_circuits(0, 600,
                          [](const array::Program& program, const Schedule&,
                             const circuit::Circuit& circuit, std::mt19937_64& random) {
                            Status valid = circuit::validate(circuit);
                            ASSERT_TRUE(valid.has_value()) << valid.error().message;
                            Elements elements = random_elements(program, random);
                            engine::HeValues inputs = inputs_of(program, elements);
                            evaluate_slowly(program, kModulus, elements);
                            Result<circuit::CircuitValues> values =
                                circuit::evaluate(circuit, kModulus, inputs, random());
                            ASSERT_TRUE(values.has_value()) << values.error().message;
                            ASSERT_EQ(values->outputs.size(), 1U);
                            EXPECT_EQ(reduced(values->outputs.begin()->second), elements.back());
                          });
  EXPECT_GT(n_circuits, 1000U);
}

TEST(MakeCircuit, LowersToProgramsThatComputeTheSame) {
  size_t n_circuits = for_random_circuits(
      10'000, 100,
      [](const array::Program& program, const Schedule&, const circuit::Circuit& circuit,
         std::mt19937_64& random) {
        Elements elements = random_elements(program, random);
        engine::HeValues inputs = inputs_of(program, elements);
        evaluate_slowly(program, kModulus, elements);
        Result<engine::HeProgram> lowered = circuit::lower(circuit, {.modulus = kModulus});
        ASSERT_TRUE(lowered.has_value()) << lowered.error().message;
        Result<engine::HeValues> outputs = engine::run_in_the_clear(*lowered, inputs, random());
        ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
        EXPECT_EQ(reduced(outputs->begin()->second), elements.back());
      });
  EXPECT_GT(n_circuits, 150U);
}

TEST(Count, IsWhatRunningThroughAllLoopsCounts) {
  size_t n_circuits = for_random_circuits(
      20'000, 400,
      [](const array::Program&, const Schedule&, const circuit::Circuit& circuit,
         std::mt19937_64&) {
        Counts counts = count(circuit);
        circuit::Counts all = circuit::counts_of(circuit);
        EXPECT_EQ(static_cast<size_t>(counts.input_ciphers), all.input_ciphertexts);
        EXPECT_EQ(static_cast<size_t>(counts.rotations), all.rotations);
        EXPECT_EQ(static_cast<size_t>(counts.row_swaps), all.swaps);
        EXPECT_EQ(static_cast<size_t>(counts.hoisted_rotations), all.hoisted_rotations);
        EXPECT_EQ(static_cast<size_t>(counts.products), all.ct_ct_products);
        EXPECT_EQ(static_cast<size_t>(counts.plain_products), all.ct_pt_products);
        EXPECT_EQ(static_cast<size_t>(counts.additions), all.ct_ct_additions);
        EXPECT_EQ(static_cast<size_t>(counts.plain_additions), all.ct_pt_additions);
        EXPECT_EQ(static_cast<size_t>(counts.plains), all.input_plaintexts);
        EXPECT_EQ(counts.depth, all.depth);
      });
  EXPECT_GT(n_circuits, 600U);
}

}  // namespace
}  // namespace tacet::schedule
