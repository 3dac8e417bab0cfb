#include "compiler/he/lower/key_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/he/circuit/print.h"
#include "compiler/he/lower/encrypt_circuit.h"
#include "engine/he_runtime/keys.h"
#include "engine/program/he/facts.h"
#include "tests/he_compile/run_parts.h"

namespace tacet::he_lower {
namespace {

constexpr uint64_t kPrime = 65537;

/// A vector times weights, rotated by multiples of 37.
auto many_steps(int n_steps) -> circuit::Circuit {
  std::string sum = "a_2 * w_2";
  for (int i = 1; i < n_steps; ++i) {
    sum += fmt::format(" + rot(a_2, {}) * w_2", 37 * i);
  }
  return value(circuit::parse_circuit(
      fmt::format("circuit 2 x 4096\ninput a[4096] from client\ninput w[4096] from server\n"
                  "native w_2 = w[i] over (i:4096)\ncipher a_2 = a[i] over (i:4096)\n\n"
                  "out_2 = {}\n\noutput out[4096] over (i:4096) [i] = out_2 at 0, i\n",
                  sum)));
}

auto encrypted(const circuit::Circuit& circuit) -> Result<std::vector<Encryption>> {
  return encrypt_circuit(circuit, kPrime, {});
}

auto made_keys(const Encryption& part) -> engine::HeEvaluationKeys {
  he::SecureRandom random = value(he::SecureRandom::from_system(best_isa()));
  const he::ContextRef context = he::Context::make(parameters_of(part));
  const he::SecretKey secret = he::generate_secret_key(*context, random);
  return value(
      engine::make_evaluation_keys(engine::facts_of(part.program), *context, secret, random));
}

TEST(KeyMemory, IsWhatKeysHold) {
  const std::vector<Encryption> parts = value(encrypted(many_steps(6)));
  const engine::HeEvaluationKeys keys = made_keys(parts.front());
  size_t n_rows = keys.relinearisation.key.rows.n_rows();
  for (const he::RotationKeys::Entry& entry : keys.rotations.entries) {
    n_rows += entry.key.rows.n_rows();
  }
  EXPECT_EQ(keys.rotations.entries.size(), 5U);
  EXPECT_EQ(key_bytes(parts),
            static_cast<double>(n_rows * parts.front().ring_dimension * sizeof(uint64_t)));
}

TEST(KeyMemory, FewerKeysComputeTheSame) {
  const circuit::Circuit circuit = many_steps(40);
  const EncryptedCircuit all{circuit, value(encrypted(circuit))};
  const double bytes = key_bytes(all.parts);
  engine::HeValues values;
  for (uint64_t i = 0; i < 4096; ++i) {
    values["a"].push_back(static_cast<double>(i * i % kPrime));
    values["w"].push_back(static_cast<double>((5 * i + 3) % kPrime));
  }
  const engine::HeValues expected =
      value(engine::run_in_the_clear(all.parts.front().program, values, 1));
  const circuit::Weights weights = circuit::recto_myers_weights(4096);
  EXPECT_EQ(within_key_bytes(all, bytes, weights, encrypted).parts.front().program,
            all.parts.front().program);
  for (const double part : {0.7, 0.5}) {
    const EncryptedCircuit few = within_key_bytes(all, part * bytes, weights, encrypted);
    EXPECT_LE(key_bytes(few.parts), part * bytes);
    EXPECT_EQ(value(engine::run_in_the_clear(few.parts.front().program, values, 2)), expected);
  }
  // Nothing fits: what has the fewest keys.
  const EncryptedCircuit fewest = within_key_bytes(all, 1, weights, encrypted);
  EXPECT_LT(key_bytes(fewest.parts), 0.5 * bytes);
  EXPECT_EQ(value(engine::run_in_the_clear(fewest.parts.front().program, values, 3)), expected);
}

}  // namespace
}  // namespace tacet::he_lower
