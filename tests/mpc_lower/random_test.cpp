// Random device functions: their programs are valid, are read back from their text, and compute in
// plaintext what the functions compute. TACET_MPC_SEED says which one is the first, TACET_ROUNDS
// multiplies how many there are. What fails is made small before it is shown.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/mpc/lower/lower.h"
#include "engine/program/mpc/clear.h"
#include "engine/program/mpc/text.h"
#include "engine/program/mpc/validate.h"
#include "tests/harness/rounds.h"
#include "tests/kernel/checked_module.h"
#include "tests/kernel/random_function.h"
#include "tests/kernel/smaller_text.h"
#include "tests/oblivious/checked_kernel.h"

namespace tacet::mpc_lower {
namespace {

auto cells_text(const std::vector<std::vector<engine::Cell>>& values) -> std::string {
  std::string text;
  for (const std::vector<engine::Cell>& cells : values) {
    const std::vector<int64_t> numbers(cells.begin(), cells.end());
    text += fmt::format("[{}]", fmt::join(numbers, ", "));
  }
  return text;
}

constexpr uint64_t kInputs = 6;

struct Counts {
  uint64_t n_refused = 0;   ///< functions that have no program
  uint64_t n_compared = 0;  ///< inputs for which results are compared
};

/// Where the program of a function gives something else on `inputs`; empty if it does not.
auto difference_at(const kernel::Kernel& source, const engine::MpcProgram& program,
                   const std::vector<kernel::Value>& inputs, Counts& counts) -> std::string {
  kernel::EvaluationOptions options;
  options.max_steps = uint64_t{1} << 20;
  options.records_events = false;
  const kernel::Evaluation expected = kernel::evaluate(source, inputs, options);
  if (expected.fault) {
    return "";
  }
  ++counts.n_compared;
  std::vector<engine::MpcCells> given;
  for (const kernel::Value& value : inputs) {
    given.push_back(value.cells);
  }
  const engine::MpcClearRun found = engine::run_in_the_clear(program, given);
  if (found.fault != engine::MpcRunFault::None) {
    return fmt::format("it fails at `{}`: {}", engine::instruction_text(program, found.instruction),
                       engine::fault_text(found.fault));
  }
  std::vector<std::vector<engine::Cell>> results;
  for (const kernel::Value& value : expected.results) {
    results.push_back(value.cells);
  }
  return results == found.outputs ? ""
                                  : fmt::format("expected {}, found {}, at {}", cells_text(results),
                                                cells_text(found.outputs), cells_text(given));
}

/// What is wrong with the program of a function; empty if nothing is. Functions that have none are
/// counted: registers of loops have one visibility, so that a few are reported for secrets where
/// none are allowed.
auto complaint(const kernel::Kernel& source, uint64_t seed, Counts& counts) -> std::string {
  const oblivious::ObliviousForm form = oblivious::make_oblivious(source);
  if (!form.is_oblivious) {
    return "";
  }
  const Lowering lowering = lower(form.kernel);
  if (!lowering.program) {
    ++counts.n_refused;
    return lowering.diagnostics.size() == 1 ? "" : "refused without a reason";
  }
  const std::string text = engine::to_text(*lowering.program);
  if (const auto fault = engine::find_fault(*lowering.program)) {
    return fault->message + "\n" + text;
  }
  Result<engine::MpcProgram> again = engine::parse_mpc_program(text);
  if (!again) {
    return again.error().message + "\n" + text;
  }
  if (engine::to_text(*again) != text) {
    return "it is read back as something else:\n" + text;
  }
  for (uint64_t i = 0; i < kInputs; ++i) {
    const std::vector<kernel::Value> inputs = oblivious::random_inputs(source, i, seed + 7 * i);
    const std::string differs = difference_at(source, *lowering.program, inputs, counts);
    if (!differs.empty()) {
      return differs + "\n" + text;
    }
  }
  return "";
}

void check(testing::FunctionShape shape, uint64_t n) {
  const uint64_t first = harness::number_of("TACET_MPC_SEED", 1);
  uint64_t n_checked = 0;
  Counts counts;
  for (uint64_t seed = first; seed < first + n; ++seed) {
    const std::string text = testing::random_function(shape, seed);
    const std::optional<kernel::Kernel> kernel = oblivious::find_kernel(text);
    if (!kernel) {
      continue;
    }
    ++n_checked;
    if (!complaint(*kernel, seed, counts).empty()) {
      const std::string small = testing::shrunk(text, [&](const std::string& candidate) {
        const std::optional<kernel::Kernel> less = oblivious::find_kernel(candidate);
        return less && !complaint(*less, seed, counts).empty();
      });
      ADD_FAILURE() << "seed " << seed << ": "
                    << complaint(oblivious::kernel_of(small), seed, counts) << "\n"
                    << small;
      return;
    }
  }
  EXPECT_GE(n_checked * 10, n * 9);
  EXPECT_LE(counts.n_refused * 200, n);
  // Some inputs make some functions fail.
  EXPECT_GE(counts.n_compared * 10, n_checked * kInputs * 7);
}

TEST(RandomPrograms, ComputeWhatTheFunctionsCompute) {
  check(testing::FunctionShape::Steered, harness::rounds(260));
  check(testing::FunctionShape::Arrays, harness::rounds(60));
  check(testing::FunctionShape::States, harness::rounds(60));
}

TEST(RandomPrograms, OfAllTypesComputeWhatTheFunctionsCompute) {
  const uint64_t first = harness::number_of("TACET_MPC_SEED", 0);
  const uint64_t n = harness::rounds(150);
  Counts counts;
  for (uint64_t seed = first; seed < first + n && !HasFailure(); ++seed) {
    testing::Random random(seed);
    testing::FunctionOptions options;
    options.faults = static_cast<testing::FunctionOptions::Faults>(seed % 3);
    options.size = 4 + static_cast<uint32_t>(seed % 4) * 4;
    const std::string text = testing::random_function(random, options);
    SCOPED_TRACE(fmt::format("{}\n{}", seed, text));
    testing::CheckedModule module(text);
    ASSERT_TRUE(module.is_right());
    EXPECT_EQ(complaint(module.lower("f"), seed, counts), "");
  }
  EXPECT_LE(counts.n_refused * 200, n);
  EXPECT_GE(counts.n_compared * 10, n * kInputs * 9);
}

}  // namespace
}  // namespace tacet::mpc_lower
