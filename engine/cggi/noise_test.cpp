#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "engine/cggi/gates.h"
#include "engine/cggi/modulus_switch.h"
#include "engine/cggi/reference.h"
#include "engine/cggi/sampling.h"
#include "engine/cggi/test_keys_test.h"

namespace tacet::cggi {
namespace {

auto mean_square(const std::vector<double>& errors) -> double {
  return std::inner_product(errors.begin(), errors.end(), errors.begin(), 0.0) /
         static_cast<double>(errors.size());
}

TEST(SampleErrors, HaveTheirVariance) {
  SecureRandom random = secure_random::seeded_random(secure_random::TestSeed::of(4), best_isa());
  for (const double variance : {0x1p-20, 0x1p-60, 0x1p-100, 0x1p-124}) {
    std::vector<uint64_t> words(20000);
    sample_errors(random, variance, std::span(words));
    std::vector<double> errors;
    for (const uint64_t word : words) {
      errors.push_back(turns(word, 0));
    }
    EXPECT_NEAR(mean_square(errors) / variance, 1, 0.05) << std::log2(variance);
    const double mean = std::accumulate(errors.begin(), errors.end(), 0.0) / 20000;
    EXPECT_LE(std::abs(mean), 4 * std::sqrt(variance / 20000));
  }
  std::vector<uint32_t> zeros(100, 1);
  sample_errors(random, 0, std::span(zeros));
  EXPECT_EQ(zeros, std::vector<uint32_t>(100));
}

/// Outputs of majority gates, of inputs that come from gates.
void expect_rotation_variance(size_t n_samples) {
  const Parameters p = gate_parameters();
  TestKeys keys(p);
  constexpr uint32_t kGates = 40;
  std::vector<Torus> messages;
  std::mt19937 random(8);
  std::vector<uint8_t> bits;
  for (size_t i = 0; i < kGates; ++i) {
    bits.push_back(random() % 2);
    messages.push_back(encode_bit(bits.back()));
  }
  Ciphertexts values = keys.encrypted(messages, kGates);
  std::vector<double> errors;
  for (uint32_t from = 0; errors.size() < n_samples; from = kGates - from) {
    std::vector<Gate> level;
    std::vector<uint8_t> next;
    for (uint32_t i = 0; i < kGates; ++i) {
      const uint32_t a = i;
      const uint32_t b = (i + 7) % kGates;
      const uint32_t c = (i + 16) % kGates;
      level.push_back({GateKind::Xor3, {{{from + a}, {from + b}, {from + c}}}, kGates - from + i});
      next.push_back(bits[a] ^ bits[b] ^ bits[c]);
    }
    value(evaluate(keys.server, level, values, keys.batching()));
    bits = next;
    for (uint32_t i = 0; i < kGates; ++i) {
      const Torus out = phase(keys.secret, values.at(kGates - from + i));
      errors.push_back(turns(out, encode_bit(bits[i])));
    }
  }
  EXPECT_NEAR(mean_square(errors) / rotation_variance(p), 1, 0.1);
}

TEST(Noise, OfRotationsIsAsModelled) {
  expect_rotation_variance(1000);
}

TEST(NoiseLong, DISABLED_OfManyRotationsIsAsModelled) {
  expect_rotation_variance(10000);
}

/// The phase under the LWE key, in turns, of words of `bits` bits.
auto lwe_phase(const SecretKey& secret, const uint32_t* words, unsigned bits) -> uint32_t {
  uint32_t result = words[secret.lwe.size()];
  for (size_t i = 0; i < secret.lwe.size(); ++i) {
    result -= words[i] * secret.lwe[i];
  }
  return result << (32 - bits);
}

auto short_turns(uint32_t a, uint32_t b) -> double {
  return static_cast<double>(static_cast<int32_t>(a - b)) * 0x1p-32;
}

/// Key switches and modulus switches of random ciphertexts. Keys are drawn several times: what a
/// digit drops counts once for each bit of the key, whose number varies.
TEST(Noise, OfSwitchesIsAsModelled) {
  const Parameters p = gate_parameters();
  const auto log2_positions = static_cast<unsigned>(std::log2(2.0 * p.polynomial_size));
  std::mt19937_64 random(9);
  std::vector<double> key_errors;
  std::vector<double> modulus_errors;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    TestKeys keys(p, best_isa(), seed);
    const KeySwitchShape& shape = keys.server.switch_shape();
    for (size_t sample = 0; sample < 1000; ++sample) {
      std::vector<Torus> input(p.extracted_dimension() + 1);
      for (Torus& word : input) {
        word = random();
      }
      ring::AlignedWords words(shape.row_stride / 2);
      auto* const switched = reinterpret_cast<uint32_t*>(words.data());
      switched[p.lwe_dimension] = static_cast<uint32_t>(input.back() >> 32);
      const uint64_t* const in = input.data();
      keys.server.kernels().switch_keys(shape, keys.server.switch_key(), &in, &switched, 1);
      const uint32_t before = static_cast<uint32_t>(phase(keys.secret, input.data()) >> 32);
      const uint32_t after = lwe_phase(keys.secret, switched, 32);
      key_errors.push_back(short_turns(after, before));
      SwitchedCiphertext rounded;
      switch_modulus(std::span(switched, p.lwe_dimension + 1), p.polynomial_size, 0, rounded);
      rounded.mask.push_back(rounded.body);
      // The body is rounded down: half a position on average, which decides nothing.
      const double half = 0.5 / (2.0 * p.polynomial_size);
      modulus_errors.push_back(
          short_turns(lwe_phase(keys.secret, rounded.mask.data(), log2_positions), after) + half);
    }
  }
  EXPECT_NEAR(mean_square(key_errors) / key_switch_variance(p), 1, 0.1);
  const double unit = 1 / (2.0 * p.polynomial_size);
  const double modelled = modulus_switch_variance(p) + unit * unit / 12;
  EXPECT_NEAR(mean_square(modulus_errors) / modelled, 1, 0.1);
}

}  // namespace
}  // namespace tacet::cggi
