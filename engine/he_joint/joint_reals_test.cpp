// The same of CKKS.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/noise.h"
#include "engine/he_joint/joint_parties_test.h"

namespace tacet::he::joint {
namespace {

class JointReals : public testing::TestWithParam<Case> {
 protected:
  JointReals()
      : p_(GetParam()),
        context_(p_.context),
        encoder_(context_),
        secret_(p_.secret_key()),
        public_key_(p_.make_public_key()) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> number(-0.7, 0.7);
    for (Reals* slots : {&a_, &b_}) {
      for (size_t i = 0; i < context_.n() / 2; ++i) {
        slots->emplace_back(number(random), number(random));
      }
    }
  }

  auto encrypted(const Reals& slots, double scale, size_t n_primes = 0) -> Ciphertext {
    return value(
        encrypt(context_, public_key_, value(encoder_.encode(slots, scale, n_primes)), p_.random));
  }
  template <class F>
  void expect_slots(const Plaintext& plaintext, double error, F f) {
    const Reals slots = value(encoder_.decode(plaintext));
    // Encoders compute in doubles.
    constexpr double kOfDoubles = 0x1p-48;
    for (size_t i = 0; i < slots.size(); ++i) {
      ASSERT_LE(std::abs(slots[i] - f(i)), error + kOfDoubles) << i;
    }
  }
  /// By the sum of secrets; the estimated error must hold.
  template <class F>
  void expect(const Ciphertext& a, F f) {
    expect_slots(
        value(decrypt(context_, secret_, a, p_.random, {.kind = CkksAudience::Kind::KeyHolder})),
        estimated_error(context_, a), f);
  }

  Parties p_;
  const Context& context_;
  ComplexEncoder encoder_;
  SecretKey secret_;
  PublicKey public_key_;
  Reals a_, b_;
};

TEST_P(JointReals, KeysServeTheEvaluator) {
  const RelinearisationKey relinearisation = p_.make_relinearisation_key();
  const RotationKeys rotations = p_.make_rotation_keys(
      {{galois_element_of(context_, 1), 0}, {galois_element_of_swap(context_), 0}});
  const Ciphertext a = encrypted(a_, 0x1p45);
  expect(a, [&](size_t i) { return a_[i]; });
  Ciphertext c = value(multiply(context_, a, encrypted(b_, 0x1p45)));
  expect(c, [&](size_t i) { return a_[i] * b_[i]; });
  c = value(relinearise(context_, std::move(c), relinearisation));
  expect(c, [&](size_t i) { return a_[i] * b_[i]; });
  c = value(drop_prime(context_, std::move(c)));
  expect(c, [&](size_t i) { return a_[i] * b_[i]; });
  EXPECT_LT(estimated_error(context_, c), 0x1p-10);
  expect(value(rotate(context_, c, 1, rotations)),
         [&](size_t i) { return a_[(i + 1) % a_.size()] * b_[(i + 1) % a_.size()]; });
  expect(value(swap_rows(context_, c, rotations)),
         [&](size_t i) { return std::conj(a_[i] * b_[i]); });
}

TEST_P(JointReals, DecryptTogether) {
  for (size_t n_primes = context_.n_data(); n_primes >= 3; --n_primes) {
    const Ciphertext a = encrypted(a_, 0x1p100, n_primes);
    const DecryptedMessage message = p_.decrypted_together(a);
    EXPECT_LT(message.error, 0x1p-14);
    EXPECT_GT(message.error, estimated_error(context_, a) * 0x1p40);
    expect_slots(message.plaintext, message.error, [&](size_t i) { return a_[i]; });
  }
  const auto flooded = [&](const Ciphertext& a) {
    return flooding_bits(context_, p_.session, a, {});
  };
  EXPECT_TRUE(says(flooded(encrypted(a_, 0x1p100, 2)), "bits are missing"));
  EXPECT_TRUE(says(flooded(encrypted(a_, 0x1p40)), "use a scale larger by"));
}

TEST_P(JointReals, SwitchToAReceiver) {
  const SecretKey receiver = generate_secret_key(context_, p_.random);
  const PublicKey key = value(generate_public_key(context_, receiver, p_.random));
  const Ciphertext a = encrypted(a_, 0x1p100, 4);
  const std::vector<Message> shares = p_.from_all(
      [&](Party& p) { return share_key_switching(context_, p, a, key, {}, p_.random); });
  const Ciphertext switched =
      value(combine_key_switching(context_, p_.session, a, key, {}, shares));
  const double error = estimated_error(context_, switched);
  EXPECT_LT(error, 0x1p-14);
  expect_slots(value(decrypt(context_, receiver, switched, p_.random,
                             {.kind = CkksAudience::Kind::KeyHolder})),
               error, [&](size_t i) { return a_[i]; });
}

TEST_P(JointReals, RefreshWithoutLoss) {
  const Ciphertext a = encrypted(a_, 0x1p40, 3);
  const Ciphertext fresh = p_.refreshed(a, 1);
  EXPECT_EQ(fresh.n_primes(), context_.n_data());
  EXPECT_EQ(fresh.metadata.scale, a.metadata.scale);
  EXPECT_LT(estimated_error(context_, fresh), 2 * estimated_error(context_, a));
  expect(fresh, [&](size_t i) { return a_[i]; });
  const Ciphertext low = encrypted(a_, 0x1p40, 1);
  EXPECT_TRUE(
      says(share_refresh(context_, p_.parties[0], low, 2, {}, p_.random), "bits are missing"));
}

TEST_P(JointReals, AnyThatAreEnough) {
  const unsigned n = p_.session.n_parties();
  const Ciphertext a = encrypted(a_, 0x1p100, 4);
  FreshNumber number = 0;
  for (uint64_t bits = 1; bits < uint64_t{1} << n; ++bits) {
    const DecryptionTerms terms{.participants = PartySet(bits)};
    if (terms.participants.size() >= p_.session.threshold()) {
      const DecryptedMessage message = p_.decrypted_together(a, terms);
      expect_slots(message.plaintext, message.error, [&](size_t i) { return a_[i]; });
      expect(p_.refreshed(a, number++, terms), [&](size_t i) { return a_[i]; });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, JointReals, testing::ValuesIn(cases({Scheme::Ckks})),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace tacet::he::joint
