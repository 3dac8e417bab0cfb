#include "tests/circuit/small_circuit.h"

#include <gtest/gtest.h>

#include "compiler/he/circuit/evaluate.h"
#include "compiler/he/circuit/print.h"
#include "tests/circuit/random_circuit.h"

namespace tacet::circuit {
namespace {

constexpr const char* kHeader = R"(circuit 2 x 8
input a[4, 8] from client
input b[4, 8] from server
input k[4] from client
cipher x[i0:4] = a[i0, c] over (c:8)
native w[i0:4] = b[i0, c] over (c:8) repeat
cipher u[i0:4] = k[i0] over () repeat
loop i: 4
loop j: 3
)";
constexpr const char* kFooter = R"(
output r[8] over (c:8) [c] = y at 0, c
output q[8] over (c:8) [c] = y at 1, c
)";

}  // namespace

auto circuit_with(const std::string& statements) -> Circuit {
  Result<Circuit> circuit = parse_circuit(std::string(kHeader) + statements + kFooter);
  EXPECT_TRUE(circuit) << circuit.error().message << "\n" << statements;
  return circuit.value();
}

auto statements_of(const Circuit& circuit) -> std::string {
  const std::string text = to_text(circuit);
  const size_t begin = text.find("\n\n") + 2;
  return text.substr(begin, text.find("\n\n", begin) - begin);
}

void expect_same(const Circuit& a, const Circuit& b, std::mt19937_64& random,
                 const std::string& what) {
  const engine::HeValues values = random_values(random, a, kModulus);
  for (const auto& seed : {std::optional<uint64_t>(), std::optional<uint64_t>(3)}) {
    ASSERT_EQ(evaluate(a, kModulus, values, seed).value().outputs,
              evaluate(b, kModulus, values, seed).value().outputs)
        << what << "\n"
        << to_text(a) << to_text(b);
  }
}

}  // namespace tacet::circuit
