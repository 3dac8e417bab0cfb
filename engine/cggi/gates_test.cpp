#include "engine/cggi/gates.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/cggi/test_keys_test.h"

namespace tacet::cggi {
namespace {

constexpr GateKind kKinds[] = {GateKind::And,    GateKind::Or,   GateKind::Nand,     GateKind::Nor,
                               GateKind::Xor,    GateKind::Xnor, GateKind::Majority, GateKind::Xor3,
                               GateKind::XorAnd, GateKind::Mux};

auto in_plaintext(GateKind kind, bool a, bool b, bool c) -> bool {
  switch (kind) {
    case GateKind::And:
      return a && b;
    case GateKind::Or:
      return a || b;
    case GateKind::Nand:
      return !(a && b);
    case GateKind::Nor:
      return !(a || b);
    case GateKind::Xor:
      return a != b;
    case GateKind::Xnor:
      return a == b;
    case GateKind::Majority:
      return (a && b) || (a && c) || (b && c);
    case GateKind::Xor3:
      return (a != b) != c;
    case GateKind::XorAnd:
      return a != (b && c);
    case GateKind::Mux:
      return a ? b : c;
  }
  return false;
}

/// Every gate on bits 0, 1 (false, true), with every pattern of inverters, as one level.
void expect_truth_tables(TestKeys& keys) {
  const std::vector<Torus> messages = {encode_bit(0), encode_bit(1)};
  std::vector<Gate> level;
  std::vector<uint8_t> expected;
  for (const GateKind kind : kKinds) {
    for (uint32_t inputs = 0; inputs < 8; ++inputs) {
      // Each input is a bit, or the other one inverted.
      const uint32_t inverters = (inputs * 5 + static_cast<uint32_t>(kind)) % 8;
      Gate gate{.kind = kind, .output = static_cast<uint32_t>(2 + level.size())};
      for (uint32_t i = 0; i < 3; ++i) {
        gate.inputs[i] = {((inputs ^ inverters) >> i) & 1, ((inverters >> i) & 1) != 0};
      }
      level.push_back(gate);
      expected.push_back(
          in_plaintext(kind, (inputs & 1) != 0, (inputs & 2) != 0, (inputs & 4) != 0));
    }
  }
  Ciphertexts values = keys.encrypted(messages, level.size());
  value(evaluate(keys.server, level, values, keys.batching()));
  const auto bits = value(decrypt_bits(keys.secret, values, 2, level.size()));
  for (size_t i = 0; i < level.size(); ++i) {
    EXPECT_EQ(bits[i], expected[i]) << gate_form(level[i].kind).name << " " << i % 8;
  }
}

TEST(Gates, HaveTheirTruthTables) {
  for (const Isa isa : supported_isas()) {
    TestKeys keys(toy_parameters(), isa);
    expect_truth_tables(keys);
  }
}

TEST(Gates, HaveTheirTruthTablesWithSecureParameters) {
  TestKeys keys(gate_parameters());
  expect_truth_tables(keys);
}

/// `depth` levels of random gates on a few bits; every bit is decrypted at every level.
void expect_deep_circuits(const Parameters& parameters, size_t depth) {
  constexpr uint32_t kBits = 4;
  TestKeys keys(parameters);
  std::mt19937 random(3);
  std::vector<uint8_t> bits = {0, 1, 1, 0};
  std::vector<Torus> messages;
  for (const uint8_t bit : bits) {
    messages.push_back(encode_bit(bit));
  }
  Ciphertexts values = keys.encrypted(messages, kBits);
  size_t n_wrong = 0;
  for (size_t level = 0; level < depth; ++level) {
    const auto from = static_cast<uint32_t>(level % 2 * kBits);
    std::vector<Gate> gates;
    std::vector<uint8_t> next;
    for (uint32_t i = 0; i < kBits; ++i) {
      Gate gate{.kind = kKinds[random() % 9], .output = (kBits - from) + i};
      bool in[3];
      for (uint32_t j = 0; j < 3; ++j) {
        gate.inputs[j] = {from + (i + j) % kBits, random() % 2 == 0};
        in[j] = (bits[(i + j) % kBits] != 0) != gate.inputs[j].inverted;
      }
      gates.push_back(gate);
      next.push_back(in_plaintext(gate.kind, in[0], in[1], in[2]));
    }
    value(evaluate(keys.server, gates, values, keys.batching()));
    bits = next;
    const auto decrypted = value(decrypt_bits(keys.secret, values, kBits - from, kBits));
    for (size_t i = 0; i < kBits; ++i) {
      n_wrong += decrypted[i] != bits[i] ? 1 : 0;
    }
  }
  EXPECT_EQ(n_wrong, 0);
}

TEST(Gates, ComputeToAnyDepth) {
  expect_deep_circuits(toy_parameters(), 1000);
}

TEST(GatesLong, DISABLED_ComputeToAnyDepthSecurely) {
  expect_deep_circuits(gate_parameters(), 1000);
}

TEST(Gates, CostNothingAsInverters) {
  TestKeys keys(toy_parameters());
  Ciphertexts values = keys.encrypted(std::vector<Torus>{encode_bit(1)}, 2);
  copy_bit({0, true}, 1, values);
  set_bit(1, 2, values);
  const auto bits = value(decrypt_bits(keys.secret, values, 0, 3));
  EXPECT_EQ(std::vector<uint8_t>(bits.begin(), bits.end()), (std::vector<uint8_t>{1, 0, 1}));
}

TEST(Gates, MayNotReadWhatTheirLevelWrites) {
  TestKeys keys(toy_parameters());
  Ciphertexts values = keys.encrypted(std::vector<Torus>(3), 1);
  const std::vector<Gate> level = {{.kind = GateKind::And, .inputs = {{{0}, {1}}}, .output = 3},
                                   {.kind = GateKind::Or, .inputs = {{{3}, {1}}}, .output = 2}};
  const Status status = evaluate(keys.server, level, values, keys.batching());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "ciphertext 3 is written by one task and used by another");
}

}  // namespace
}  // namespace tacet::cggi
