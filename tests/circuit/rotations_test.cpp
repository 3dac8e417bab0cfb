#include "compiler/he/circuit/rotations.h"

#include <gtest/gtest.h>

#include "compiler/he/circuit/lower.h"
#include "compiler/he/circuit/print.h"
#include "compiler/he/circuit/validate.h"
#include "engine/program/he/clear.h"
#include "tests/circuit/random_circuit.h"
#include "tests/circuit/small_circuit.h"

namespace tacet::circuit {
namespace {

/// A matrix times a vector, by diagonals.
constexpr const char* kMatrix = R"(circuit 2 x 64
input matrix[16, 16] from server
input vector[16] from client
cipher x = vector[c] over (c:16) repeat
native diagonal[i0:16] = matrix[c, (i0 + c) mod 16] over (c:16) repeat
loop i: 16
y = sum(i: rot(x, i) * diagonal[i])
output r[16] over (c:16) [c] = y at 0, c
)";

auto matrix_circuit() -> Circuit {
  return parse_circuit(kMatrix).value();
}

TEST(PlanRotations, BabyStepsAndGiantSteps) {
  const Circuit circuit = matrix_circuit();
  EXPECT_EQ(counts_of(circuit).rotations, 15U);
  const Circuit planned = plan_rotations(circuit, {.weights = recto_myers_weights(8192)});
  EXPECT_EQ(counts_of(planned).rotations, 6U);
  EXPECT_EQ(statements_of(planned),
            "y = sum(i_giant: rot(sum(i_baby: rot(x, i_baby) * "
            "rot(diagonal[4*i_giant + i_baby], -4*i_giant)), 4*i_giant))");
  std::mt19937_64 random(1);
  expect_same(circuit, planned, random, "planned");
}

TEST(PlanRotations, WhatIsLeftOverIsSummedUpByItself) {
  std::string text = kMatrix;
  for (const char* word : {"[i0:", "loop i: "}) {
    const size_t at = text.find(word) + std::string_view(word).size();
    text.replace(at, 2, "13");
  }
  const Circuit circuit = parse_circuit(text).value();
  EXPECT_EQ(counts_of(circuit).rotations, 12U);
  const Circuit planned = plan_rotations(circuit, {.weights = recto_myers_weights(8192)});
  EXPECT_EQ(counts_of(planned).rotations, 6U) << statements_of(planned);
  std::mt19937_64 random(1);
  expect_same(circuit, planned, random, "planned");
  for (int64_t n_inner = 1; n_inner <= 6; ++n_inner) {
    expect_same(circuit, giant_steps(circuit, circuit.statements[0].root, 1, n_inner), random,
                "giant steps");
  }
}

TEST(PlanRotations, TwoLoopsThatAreThere) {
  const Circuit circuit = circuit_with("y = sum(i: sum(j: rot(x[0], 3*i + j) * (w[i] + w[j])))");
  const Circuit planned = plan_rotations(circuit, {.weights = recto_myers_weights(8192)});
  EXPECT_EQ(counts_of(planned).rotations, 5U) << statements_of(planned);
  std::mt19937_64 random(1);
  expect_same(circuit, planned, random, "planned");
}

TEST(PlanRotations, GiantStepsKeepWhatACircuitMeans) {
  size_t n_tried = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    std::mt19937_64 random(seed);
    const Circuit circuit = random_circuit(random);
    const NodeFacts facts = node_facts(circuit);
    for (const NodeId id : facts.order.nodes) {
      const Node& node = circuit.nodes[id];
      const int64_t extent =
          node.kind == NodeKind::Sum ? circuit.loops[node.loop].extent : int64_t{1};
      for (int64_t n = 1; 2 * n <= extent; ++n) {
        const Circuit stepped = giant_steps(circuit, id, static_cast<int64_t>(seed % 5) - 1, n);
        const Status status = validate(stepped);
        ASSERT_TRUE(status) << status.error().message << to_text(stepped);
        expect_same(circuit, stepped, random, "giant steps");
        ++n_tried;
      }
    }
  }
  EXPECT_GT(n_tried, 100U);
}

TEST(PlanRotations, DigitsKeepWhatACircuitMeans) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    const Circuit circuit = random_circuit(random, {.n_columns = 16});
    for (const int64_t base : {2, 4, 8}) {
      const Circuit by_digits = rotations_by_digits(circuit, base);
      const Status status = validate(by_digits);
      ASSERT_TRUE(status) << status.error().message << to_text(by_digits);
      expect_same(circuit, by_digits, random, "digits");
    }
  }
}

TEST(PlanRotations, KeysThatCostMuchAreFew) {
  Weights weights = recto_myers_weights(8192);
  weights.rotation_key = 10'000;
  const Circuit planned = plan_rotations(matrix_circuit(), {.weights = weights});
  EXPECT_LE(counts_of(planned).rotation_keys, 5U) << to_text(planned);
  std::mt19937_64 random(1);
  expect_same(matrix_circuit(), planned, random, "few keys");
}

TEST(PlanRotations, IsNeverDearerAndAlwaysRight) {
  for (uint64_t seed = 0; seed < 80; ++seed) {
    std::mt19937_64 random(seed);
    const Circuit circuit = random_circuit(random);
    Weights weights = recto_myers_weights(8192);
    weights.rotation_key = static_cast<double>(seed % 3) * 40;
    const Circuit planned = plan_rotations(circuit, {.weights = weights});
    ASSERT_TRUE(validate(planned));
    expect_same(circuit, planned, random, "planned");
    ASSERT_LE(cost_of(counts_of(planned), weights), cost_of(counts_of(circuit), weights));
  }
}

}  // namespace
}  // namespace tacet::circuit
