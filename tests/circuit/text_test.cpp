#include <gtest/gtest.h>

#include "compiler/he/circuit/evaluate.h"
#include "compiler/he/circuit/print.h"
#include "tests/circuit/random_circuit.h"

namespace tacet::circuit {
namespace {

TEST(CircuitText, WhatIsPrintedIsReadBack) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const Circuit circuit = random_circuit(random);
    const std::string text = to_text(circuit);
    Result<Circuit> again = parse_circuit(text);
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    ASSERT_EQ(to_text(again.value()), text) << "seed " << seed;
    const engine::HeValues values = random_values(random, circuit, 257);
    ASSERT_EQ(evaluate(circuit, 257, values).value().outputs,
              evaluate(again.value(), 257, values).value().outputs)
        << text;
  }
}

}  // namespace
}  // namespace tacet::circuit
