#include "compiler/he/circuit/optimise.h"

#include <gtest/gtest.h>

#include "compiler/he/circuit/forms.h"
#include "compiler/he/circuit/lower.h"
#include "compiler/he/circuit/validate.h"
#include "tests/circuit/random_circuit.h"
#include "tests/circuit/small_circuit.h"

namespace tacet::circuit {
namespace {

/// Some circuit among the forms: every operator has a price by chance.
auto random_form(const Forms& forms, std::mt19937_64& random) -> std::optional<Circuit> {
  std::vector<double> prices(forms.graph().n_ids());
  for (double& price : prices) {
    price = std::uniform_real_distribution<double>(0.1, 10)(random);
  }
  const auto trees = egraph::extract_trees<double>(
      forms.graph(), [&](const egraph::ENode& node, std::span<const double> operands) {
        double sum = prices[node.id.index];
        for (const double operand : operands) {
          sum += operand;
        }
        return sum;
      });
  return forms.circuit_of(trees.choice);
}

/// In which every rule finds something.
const char* const kExamples[] = {
    "y = (rot(x[0], 1) + rot(x[1], 1)) * (swap(x[0]) - swap(x[1]))",
    "y = swap(x[0] * x[1]) + rot(swap(x[2]), 1)",
    "y = x[0] + -1 * x[1] + ((x[0] - x[1]) - x[2])",
    "y = (x[0] * x[1] + x[0] * x[2]) * (x[1] * w[0] - x[1] * w[1])",
    "y = sum(i: rot(x[0], i) * w[i] + (rot(x[1], 2*i) - w[0])) + (rot(x[2], 1) + w[1])",
    "y = x[0] * (x[1] + w[0]) - (x[2] - w[1]) * (x[3] + 2) + w[0] * (x[1] - x[2])",
    "y = x[0] + (x[1] + x[2]) + x[3] * x[0] * (x[1] * w[3])",
    "y = x[0] + x[0] * w[1] + (x[1] - x[1] * w[0])",
    "y = x[0] - (x[1] + x[2]) + (w[0] - (x[1] - x[3]))",
    "y = rot(x[0], 1) * rot(x[1], 1) - rot(w[2], 3) + (rot(x[2], 3) - rot(x[3], 3))",
    "y = rot(x[0] + x[1], 2) + rot(x[2] * w[0], 3) - rot(x[0] - w[1], 3)",
    "y = sum(i: rot(rot(x[i], i), 3) + rot(x[i], 2*i + 3))",
    "y = swap(x[0] + x[1]) * swap(x[2] - w[1]) + swap(rot(x[3] * w[0], 1))",
    "y = swap(x[0]) + swap(x[1]) - swap(x[2]) * swap(w[0])",
    "y = rot(u[0] * x[1], 1) + rot(x[0], 2) * u[1] - (swap(x[1]) + u[2]) * (rot(u[0], 3) + "
    "swap(u[1]))",
    "y = (rot(x[0], 1) - u[2]) + (rot(x[1], 2) + u[0]) + swap(x[1]) * u[1] + (swap(x[0]) - u[0])",
    "y = sum(i: x[i] + w[i]) - sum(i: x[i]) + sum(j: x[0] * w[j]) + sum(j: x[1])",
    "y = sum(i: swap(x[i])) + swap(sum(i: w[i] - x[i])) + sum(i: rot(x[i], 2))",
    "y = rot(sum(i: x[i] * x[i]), 3) + rot(x[0], 1) * sum(j: x[j] * w[j])",
    "y = sum(i: sum(j: x[i] * w[j]))",
    "y = product(j: x[j] * u[j]) - product(j: rot(x[j], 1)) * product(j: w[j])",
    "y = swap(product(j: x[j])) + rot(product(j: u[j] - x[j]), 2) + product(j: swap(x[j]))",
    "y = product(j: product(i: x[i] + u[j]))",
    "y = (x[0] + rot(x[0], 2)) + (x[1] + rot(x[1], 2)) - ((x[2] + swap(x[2])) - (x[3] + "
    "swap(x[3])))",
    "y = ((x[0] + rot(x[0], 2)) - (x[1] + rot(x[1], 2))) + ((x[2] + swap(x[2])) + (w[3] + "
    "swap(w[3])))",
    "y = (x[0] * rot(x[0], 2)) * (x[1] * rot(x[1], 2)) + (x[2] * swap(x[2])) * (x[3] * swap(x[3]))",
};

/// With operations that change nothing, which no builder makes.
auto idle_circuit() -> Circuit {
  Circuit circuit = circuit_with("y = x[0] * w[0]");
  NodeId y = circuit.statements[0].root;
  const auto add = [&](Node node) { return circuit.nodes.add(std::move(node)); };
  const NodeId zero = add({.kind = NodeKind::Constant, .number = 0});
  const NodeId one = add({.kind = NodeKind::Constant, .number = 1});
  const NodeId nothing = add({.kind = NodeKind::Subtract, .a = y, .b = y});
  y = add({.kind = NodeKind::Add, .a = y, .b = zero});
  y = add({.kind = NodeKind::Subtract, .a = y, .b = zero});
  y = add({.kind = NodeKind::Multiply, .a = y, .b = one});
  y = add({.kind = NodeKind::SwapRows, .a = add({.kind = NodeKind::SwapRows, .a = y})});
  circuit.statements[0].root = add({.kind = NodeKind::Add, .a = y, .b = nothing});
  return circuit;
}

TEST(Rules, EachOneKeepsWhatACircuitMeans) {
  const Circuit first = circuit_with(kExamples[0]);
  for (const std::string& rule : Forms(first).rule_names()) {
    size_t n_merges = 0;
    std::mt19937_64 random(7);
    const auto try_on = [&](const Circuit& circuit) {
      Forms forms(circuit);
      const auto report = forms.grow({.max_nodes = 300, .max_iterations = 2},
                                     [&](std::string_view name) { return name == rule; });
      for (const auto& round : report.iterations) {
        n_merges += round.rewrites[0].n_merges;
      }
      for (int i = 0; i < 3; ++i) {
        if (const auto form = random_form(forms, random)) {
          expect_same(circuit, *form, random, rule);
        }
      }
    };
    for (const char* example : kExamples) {
      try_on(circuit_with(example));
    }
    try_on(idle_circuit());
    for (int i = 0; i < 12 && !testing::Test::HasFatalFailure(); ++i) {
      try_on(random_circuit(random, {.n_statements = 2, .depth = 4}));
    }
    EXPECT_GT(n_merges, 0U) << rule << " never found anything";
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

TEST(Optimise, AllFormsOfACircuitMeanTheSame) {
  size_t n_forms = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const Circuit circuit = random_circuit(random, {.n_statements = 2});
    Forms forms(circuit);
    forms.grow({.max_nodes = 800, .max_iterations = 5});
    for (int i = 0; i < 4; ++i) {
      if (const auto form = random_form(forms, random)) {
        ++n_forms;
        expect_same(circuit, *form, random, "all rules");
        ASSERT_FALSE(testing::Test::HasFatalFailure()) << seed;
      }
    }
  }
  EXPECT_GT(n_forms, 150U);
}

TEST(Optimise, IsNeverDearerAndAlwaysRight) {
  size_t n_better = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const Circuit circuit = random_circuit(random);
    const OptimiseOptions options{
        .weights = recto_myers_weights(8192), .max_nodes = 600, .max_rounds = 5, .max_steps = 500};
    const Circuit optimised = optimise(circuit, options);
    const Status status = validate(optimised);
    ASSERT_TRUE(status) << status.error().message;
    expect_same(circuit, optimised, random, "optimised");
    const double before = cost_of(counts_of(circuit), options.weights);
    const double after = cost_of(counts_of(optimised), options.weights);
    ASSERT_LE(after, before);
    n_better += after < before ? 1 : 0;
    ASSERT_EQ(optimise(circuit, options), optimised);
    ASSERT_TRUE(lower(optimised));
  }
  EXPECT_GT(n_better, 20U);
}

auto optimised(const std::string& statements) -> std::string {
  const OptimiseOptions options{.weights = recto_myers_weights(8192)};
  return statements_of(optimise(circuit_with(statements), options));
}

TEST(Optimise, Examples) {
  EXPECT_EQ(optimised("y = x[0] * x[1] + x[0] * x[2]"), "y = x[0] * (x[1] + x[2])");
  EXPECT_EQ(optimised("y = sum(i: rot(x[i] * w[i], 1))"), "y = rot(sum(i: x[i] * w[i]), 1)");
  EXPECT_EQ(optimised("y = sum(i: x[0] * w[i])"), "y = x[0] * sum(i: w[i])");
  EXPECT_EQ(optimised("y = rot(rot(x[0], 3), -3) - x[0] + rot(u[0], 5)"), "y = u[0]");
  // The squares of sums are expanded only if that pays.
  EXPECT_EQ(optimised("y = (x[0] + x[1]) * (x[0] + x[1])"), "%0 = x[0] + x[1]\ny = %0 * %0");
}

TEST(Optimise, ReductionsAreJoined) {
  const Circuit circuit = circuit_with(R"(%0 = x[0] * w[0]
%1 = %0 + rot(%0, 4)
%2 = %1 + rot(%1, 2)
%3 = x[1] * w[1]
%4 = %3 + rot(%3, 4)
%5 = %4 + rot(%4, 2)
y = %2 + rot(%2, 1) + (%5 + rot(%5, 1)))");
  EXPECT_EQ(counts_of(circuit).rotations, 6U);
  const Circuit better = optimise(circuit, {.weights = recto_myers_weights(8192)});
  EXPECT_EQ(counts_of(better).rotations, 3U) << statements_of(better);
}

}  // namespace
}  // namespace tacet::circuit
