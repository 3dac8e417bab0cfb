#include <gtest/gtest.h>

#include "compiler/he/circuit/counts.h"
#include "compiler/he/circuit/evaluate.h"
#include "compiler/he/circuit/lower.h"
#include "compiler/he/circuit/validate.h"
#include "compiler/he/schedule/check.h"
#include "compiler/he/schedule/cost.h"
#include "compiler/he/schedule/make_circuit.h"
#include "compiler/he/schedule/search.h"
#include "engine/program/he/clear.h"
#include "tests/array/random_program.h"
#include "tests/schedule/named_program.h"
#include "tests/schedule/random_case.h"

namespace tacet::schedule {
namespace {

constexpr uint64_t kModulus = 65537;

/// As an integer in [0, kModulus).
auto reduced(int64_t number) -> int64_t {
  auto modulus = static_cast<int64_t>(kModulus);
  return (number % modulus + modulus) % modulus;
}

/// Inputs, and what the program makes of them.
struct Case {
  engine::HeValues inputs;
  std::vector<int64_t> expected;
  bool fits = true;  ///< no number was too large for the evaluator
};

auto case_of(const array::Program& program, const std::vector<array::Elements>& inputs) -> Case {
  Case result;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    result.inputs[program.arrays[array::ArrayId{i}].name].assign(inputs[i].begin(),
                                                                 inputs[i].end());
  }
  array::Evaluation evaluation = array::evaluate(program, inputs);
  result.fits = !evaluation.wrapped_at;
  for (int64_t number : evaluation.output()) {
    result.expected.push_back(reduced(number));
  }
  return result;
}

auto output_of(const engine::HeValues& outputs) -> std::vector<int64_t> {
  std::vector<int64_t> result;
  for (double number : outputs.begin()->second) {
    result.push_back(reduced(static_cast<int64_t>(number)));
  }
  return result;
}

/// Evaluates the circuit with rubbish in slots whose content does not matter. Whether it could be
/// compared with the program.
auto expect_computes(const array::Program& program, const std::vector<array::Elements>& inputs,
                     const circuit::Circuit& circuit, uint64_t seed) -> bool {
  Status valid = circuit::validate(circuit);
  EXPECT_TRUE(valid.has_value()) << valid.error().message;
  Case test = case_of(program, inputs);
  Result<circuit::CircuitValues> values = circuit::evaluate(circuit, kModulus, test.inputs, seed);
  EXPECT_TRUE(values.has_value()) << values.error().message;
  if (!values || !test.fits) {
    return false;
  }
  EXPECT_EQ(output_of(values->outputs), test.expected);
  return true;
}

/// Random programs in random schedules: how many circuits there were, all of which were tested.
template <class Body>
auto for_random_circuits(uint64_t first_seed, uint64_t n_programs, const Body& body) -> size_t {
  size_t n_circuits = 0;
  for (uint64_t seed = first_seed; seed < first_seed + n_programs; ++seed) {
    RandomNumbers random(seed);
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
  size_t n_compared = 0;
  size_t n_circuits = for_random_circuits(
      0, 600,
      [&](const array::Program& program, const Schedule&, const circuit::Circuit& circuit,
          RandomNumbers& random) {
        std::vector<array::Elements> inputs = random_inputs(program, random);
        n_compared += expect_computes(program, inputs, circuit, random()) ? 1 : 0;
      });
  EXPECT_GT(n_circuits, 1000U);
  EXPECT_GT(n_compared, 700U);
}

TEST(MakeCircuit, ComputesWhatTextsSay) {
  size_t n_compared = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    array::RandomProgram text = array::random_program(seed, {.max_extent = 4, .max_rank = 2});
    std::optional<array::Program> program = program_of(text.path, text.text);
    if (!program) {
      continue;
    }
    RandomNumbers random(seed);
    for (int attempt = 0; attempt < 4; ++attempt) {
      Schedule schedule = random_schedule(*program, random);
      if (Result<circuit::Circuit> circuit = make_circuit(*program, schedule)) {
        n_compared += expect_computes(*program, text.inputs, *circuit, random()) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(n_compared, 150U);
}

TEST(MakeCircuit, MovesValuesFromOtherSlots) {
  std::optional<array::Program> program = program_of("transposed.tlhe", R"(
input a: [32, 32] from client
input b: [32, 32] from client
let p = for i: 32 { for j: 32 { a[i][j] * b[i][j] } } in
for i: 32 { for j: 32 { p[i][j] + p[j][i] } }
)");
  ASSERT_TRUE(program);
  auto packed = [](uint32_t outer, uint32_t inner) {
    StatementSchedule schedule;
    schedule.axes = {{32, false, {{array::DimId{outer}, 32, 1}}},
                     {32, false, {{array::DimId{inner}, 32, 1}}}};
    return schedule;
  };
  for (uint32_t outer : {0U, 1U}) {
    Schedule schedule{1024, {packed(outer, 1 - outer), packed(0, 1)}};
    Result<circuit::Circuit> circuit = make_circuit(*program, schedule);
    ASSERT_TRUE(circuit.has_value()) << circuit.error().message;
    // 63 diagonals, by 8 baby steps and 8 giant steps, one of each for nothing.
    circuit::Counts counts = circuit::counts_of(*circuit);
    EXPECT_EQ(counts.rotations, 14U);
    EXPECT_LE(counts.ct_pt_products, 64U);
    RandomNumbers random(1);
    EXPECT_TRUE(expect_computes(*program, random_inputs(*program, random), *circuit, 1));
  }
}

TEST(Search, FindsScheduleOfAnyText) {
  RingCost ring = published_rings().front();
  ring.n_columns = 64;
  SearchOptions options;
  options.n_epochs = 1;
  options.rings = {ring};
  options.n_kept = 4;
  size_t n_found = 0;
  size_t n_programs = 0;
  for (uint64_t seed = 1000; seed < 1040; ++seed) {
    SCOPED_TRACE(seed);
    array::RandomProgram text = array::random_program(seed, {.max_extent = 4, .max_rank = 2});
    std::optional<array::Program> program = program_of(text.path, text.text);
    if (!program) {
      continue;
    }
    ++n_programs;
    Result<SearchResult> found = search(*program, options);
    if (found) {
      Result<circuit::Circuit> circuit = make_circuit(*program, found->best.schedule);
      ASSERT_TRUE(circuit.has_value()) << circuit.error().message;
      expect_computes(*program, text.inputs, *circuit, seed);
      ++n_found;
    } else {
      ADD_FAILURE() << found.error().message << "\n" << text.text;
    }
  }
  EXPECT_EQ(n_found, n_programs);
  EXPECT_GT(n_programs, 30U);
}

TEST(MakeCircuit, LowersToProgramsThatComputeTheSame) {
  size_t n_compared = 0;
  for_random_circuits(10'000, 100,
                      [&](const array::Program& program, const Schedule&,
                          const circuit::Circuit& circuit, RandomNumbers& random) {
                        Case test = case_of(program, random_inputs(program, random));
                        Result<engine::HeProgram> lowered =
                            circuit::lower(circuit, {.modulus = kModulus});
                        ASSERT_TRUE(lowered.has_value()) << lowered.error().message;
                        Result<engine::HeValues> outputs =
                            engine::run_in_the_clear(*lowered, test.inputs, random());
                        ASSERT_TRUE(outputs.has_value()) << outputs.error().message;
                        if (test.fits) {
                          EXPECT_EQ(output_of(*outputs), test.expected);
                          ++n_compared;
                        }
                      });
  EXPECT_GT(n_compared, 100U);
}

TEST(Count, IsWhatRunningThroughAllLoopsCounts) {
  size_t n_circuits = for_random_circuits(
      20'000, 400,
      [](const array::Program&, const Schedule&, const circuit::Circuit& circuit, RandomNumbers&) {
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
