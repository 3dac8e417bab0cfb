#include "compiler/he/circuit/fold_factors.h"

#include <gtest/gtest.h>

#include "compiler/he/circuit/print.h"
#include "compiler/he/circuit/rebuild.h"
#include "compiler/he/circuit/validate.h"
#include "tests/circuit/random_circuit.h"
#include "tests/circuit/small_circuit.h"

namespace tacet::circuit {
namespace {

/// Masked sums of a vector, times numbers.
auto masked(const std::string& statements) -> Circuit {
  return parse_circuit(R"(circuit 2 x 64
input vector[16] from client
input factor[1] from server
cipher x = vector[c] over (c:16) repeat
native mask[i0:4] = 1 over (c:16) repeat where c - i0 in 0..4
native half = factor[0] over (c:16) repeat
native each[i0:4] = factor[0] over (c:16) repeat where i0 in 0..3
loop i: 4
)" + statements + "\noutput r[16] over (c:16) [c] = y at 0, c\n")
      .value();
}

struct Case {
  const char* name;
  const char* before;
  const char* after;
};

class FoldFactors : public testing::TestWithParam<Case> {};

TEST_P(FoldFactors, IntoPlaintexts) {
  const Circuit circuit = masked(GetParam().before);
  const Circuit folded = fold_factors(circuit);
  EXPECT_EQ(statements_of(folded), GetParam().after);
  EXPECT_TRUE(validate(folded));
  std::mt19937_64 random(1);
  expect_same(circuit, folded, random, GetParam().name);
}

TEST(FoldFactorsOfRandomCircuits, ChangeNoResult) {
  std::mt19937_64 random(2);
  size_t n_changed = 0;
  for (int round = 0; round < 600; ++round) {
    const Circuit circuit = random_circuit(random);
    const Circuit folded = fold_factors(circuit);
    n_changed += folded == compacted(circuit) ? 0 : 1;
    expect_same(circuit, folded, random, "folded");
  }
  EXPECT_GE(n_changed, 3);
}

INSTANTIATE_TEST_SUITE_P(
    Circuits, FoldFactors,
    testing::Values(Case{"sum", "y = half * sum(i: rot(x, i) * mask[i])",
                         "y = sum(i: rot(x, i) * (mask[i] * half))"},
                    Case{"rotated", "y = rot(x * mask[0] - x * mask[1], 3) * half",
                         "y = rot(x * (mask[0] * half) - x * (mask[1] * half), 3)"},
                    Case{"with_plaintext", "y = half * (x * mask[0] + mask[1])",
                         "y = x * (mask[0] * half) + mask[1] * half"},
                    Case{"no_product", "y = half * (x + rot(x, 1))", "y = half * (x + rot(x, 1))"},
                    Case{"of_ciphers", "y = half * (x * x)", "y = half * (x * x)"},
                    Case{"not_uniform", "y = mask[2] * (x * mask[0])",
                         "y = mask[2] * (x * mask[0])"},
                    Case{"other_uses", "z = x * mask[0]\ny = half * z + z",
                         "z = x * mask[0]\ny = half * z + z"}),
    [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace tacet::circuit
