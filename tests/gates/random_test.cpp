// Circuits of random device functions give what their kernels do, for small and extreme inputs.
// TACET_GATES_SEED says which function is the first.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/device/kernel/evaluate.h"
#include "compiler/device/oblivious/make_oblivious.h"
#include "compiler/he/gates/evaluate.h"
#include "compiler/he/gates/lower.h"
#include "compiler/he/gates/optimise.h"
#include "tests/gates/random_sums.h"
#include "tests/harness/rounds.h"
#include "tests/kernel/checked_module.h"
#include "tests/kernel/random_function.h"

namespace tacet::gates {
namespace {

constexpr int kInputs = 6;

struct Counts {
  uint64_t n_functions = 0;
  uint64_t n_circuits = 0;
  uint64_t n_compared = 0;
  uint64_t n_gates = 0;
};

auto is_secret(const kernel::Kernel& kernel, kernel::VariableId id) -> bool {
  return kernel.variables[id].visibility == types::Visibility::Secret;
}

/// The secret inputs as numbers of the circuit's inputs, in order.
auto inputs_of(const kernel::Kernel& kernel, const std::vector<kernel::Value>& inputs)
    -> std::vector<uint64_t> {
  std::vector<uint64_t> numbers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_secret(kernel, kernel.parameters[i])) {
      numbers.insert(numbers.end(), inputs[i].cells.begin(), inputs[i].cells.end());
    }
  }
  return numbers;
}

/// The results of a kernel, as the bits of the circuit's outputs.
auto outputs_of(const testing::Outcome& outcome) -> std::vector<uint64_t> {
  std::vector<uint64_t> numbers;
  for (const kernel::Value& result : outcome.results) {
    const unsigned width = engine::bit_width(result.type.element.kind);
    for (const engine::Cell cell : result.cells) {
      numbers.push_back(width == 64 ? cell : cell & ((uint64_t{1} << width) - 1));
    }
  }
  return numbers;
}

/// Inputs in the ranges that are declared.
auto within_bounds(const kernel::Kernel& kernel, std::vector<kernel::Value> inputs)
    -> std::vector<kernel::Value> {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (const auto& bound = kernel.variables[kernel.parameters[i]].bound) {
      const auto size = static_cast<uint64_t>(bound->upper - bound->lower);
      for (engine::Cell& cell : inputs[i].cells) {
        const uint64_t above = cell - static_cast<uint64_t>(bound->lower);
        cell = static_cast<uint64_t>(bound->lower) + above % size;
      }
    }
  }
  return inputs;
}

/// Compares a function on inputs that agree in what is public.
void check(const kernel::Kernel& kernel, testing::Random& random, Counts& counts) {
  ++counts.n_functions;
  const oblivious::ObliviousForm form =
      oblivious::make_oblivious(kernel, oblivious::Accesses::Leave);
  std::vector<kernel::Value> inputs = within_bounds(kernel, testing::random_inputs(random, kernel));
  LoweringOptions options;
  options.most_gates = 400'000;
  options.carries = {random() % 3 * 4};
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_secret(kernel, kernel.parameters[i])) {
      options.known[form.kernel.parameters[i]] = inputs[i].cells;
    }
  }
  const Lowering lowering = lower(form.kernel, options);
  if (!lowering.graph) {
    ASSERT_EQ(lowering.diagnostics.size(), 1);
    return;
  }
  ++counts.n_circuits;
  counts.n_gates += n_bootstraps(*lowering.graph);
  const Graph optimised = optimise(*lowering.graph);
  for (int i = 0; i < kInputs; ++i) {
    const testing::Outcome expected = testing::run(kernel, inputs);
    if (!expected.fault) {
      const std::vector<uint64_t> numbers = inputs_of(kernel, inputs);
      ASSERT_EQ(evaluate_words(*lowering.graph, numbers), outputs_of(expected));
      ASSERT_EQ(evaluate_words(optimised, numbers), outputs_of(expected));
      ++counts.n_compared;
    }
    inputs = within_bounds(kernel, testing::with_other_secrets(random, kernel, std::move(inputs)));
  }
}

/// `f` of `fn(he) f(`: the last one is meant.
auto last_function_of(const std::string& text) -> std::string {
  const size_t begin = text.rfind("fn(he) ") + 7;
  return text.substr(begin, text.find('(', begin) - begin);
}

void check_all(testing::FunctionShape shape, uint64_t n, Counts& counts) {
  const uint64_t first = harness::number_of("TACET_GATES_SEED", 1);
  for (uint64_t seed = first; seed < first + n && !::testing::Test::HasFailure(); ++seed) {
    testing::Random random(seed);
    testing::FunctionOptions options;
    options.shape = shape;
    options.device = "he";
    options.size = 4 + static_cast<uint32_t>(seed % 3) * 4;
    const std::string text = shape == testing::FunctionShape::AllTypes
                                 ? testing::random_function(random, options)
                                 : testing::random_function(shape, seed, "he");
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    testing::CheckedModule module(text);
    if (module.is_right()) {
      check(module.lower(last_function_of(text)), random, counts);
    }
  }
}

TEST(RandomFunctions, AreWhatTheirCircuitsCompute) {
  for (const auto shape : {testing::FunctionShape::AllTypes, testing::FunctionShape::Arrays,
                           testing::FunctionShape::States}) {
    Counts counts;
    check_all(shape, harness::rounds(60), counts);
    fmt::print("{} functions, {} circuits, {} compared, {} gates\n", counts.n_functions,
               counts.n_circuits, counts.n_compared, counts.n_gates);
    EXPECT_GE(2 * counts.n_circuits, counts.n_functions);
    EXPECT_GE(2 * counts.n_compared, kInputs * counts.n_circuits);
  }
}

TEST(RandomSums, AreWhatTheirCircuitsCompute) {
  const uint64_t first = harness::number_of("TACET_GATES_SEED", 1);
  const uint64_t n = harness::rounds(150);
  Counts counts;
  for (uint64_t seed = first; seed < first + n && !HasFailure(); ++seed) {
    testing::Random random(seed);
    const std::string text = testing::random_sums(random);
    SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
    testing::CheckedModule module(text);
    ASSERT_TRUE(module.is_right());
    check(module.lower("f"), random, counts);
  }
  fmt::print("{} functions, {} circuits, {} compared, {} gates\n", counts.n_functions,
             counts.n_circuits, counts.n_compared, counts.n_gates);
  EXPECT_EQ(counts.n_compared, kInputs * counts.n_functions);
}

}  // namespace
}  // namespace tacet::gates
