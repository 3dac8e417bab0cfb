// Joint keys of BFV and BGV against the sum of the parties' secrets, which a test may compute and
// nobody else: for numbers of parties, levels and extreme messages.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/noise.h"
#include "engine/he/serialisation.h"
#include "engine/he_joint/joint_parties_test.h"

namespace tacet::he::joint {
namespace {

class JointIntegers : public testing::TestWithParam<Case> {
 protected:
  JointIntegers()
      : p_(GetParam()),
        context_(p_.context),
        encoder_(context_),
        secret_(p_.secret_key()),
        public_key_(p_.make_public_key()) {
    std::mt19937_64 random(7);
    for (Slots* slots : {&a_, &b_}) {
      for (size_t i = 0; i < context_.n(); ++i) {
        slots->push_back(static_cast<int64_t>(random() % 65537) - 32768);
      }
    }
  }

  auto encrypted(const Slots& slots, size_t n_primes = 0) -> Ciphertext {
    return value(
        encrypt(context_, public_key_, value(encoder_.encode(slots)), p_.random, n_primes));
  }
  auto decoded(const Plaintext& plaintext) -> Slots { return value(encoder_.decode(plaintext)); }
  /// By the sum of the secrets; the estimate of noise must hold.
  auto decrypted(const Ciphertext& a) -> Slots {
    const double measured = value(measured_budget(context_, secret_, a));
    EXPECT_LE(estimated_budget(context_, a), measured);
    const double noise = context_.noise().modulus_bits(a.n_primes()) - 1 - 16 - measured;
    EXPECT_GE(a.metadata.bound + 0.01, noise);
    return decoded(value(decrypt(context_, secret_, a, p_.random)));
  }
  template <class F>
  auto each(F f) const -> Slots {
    Slots result;
    for (size_t i = 0; i < a_.size(); ++i) {
      int64_t rest = f(i) % 65537;
      rest += rest < -32768 ? 65537 : 0;
      rest -= rest > 32768 ? 65537 : 0;
      result.push_back(rest);
    }
    return result;
  }
  auto product() const -> Slots {
    return each([&](size_t i) { return a_[i] * b_[i]; });
  }
  auto rotated(const Slots& slots, size_t steps) const -> Slots {
    const size_t half = slots.size() / 2;
    Slots result;
    for (size_t i = 0; i < slots.size(); ++i) {
      result.push_back(slots[i / half * half + (i % half + steps) % half]);
    }
    return result;
  }

  Parties p_;
  const Context& context_;
  IntegerEncoder encoder_;
  SecretKey secret_;
  PublicKey public_key_;
  Slots a_, b_;
};

TEST_P(JointIntegers, KeysServeTheEvaluator) {
  const RelinearisationKey relinearisation = p_.make_relinearisation_key();
  const uint64_t one = galois_element_of(context_, 1);
  const RotationKeys rotations =
      p_.make_rotation_keys({{one, 0}, {galois_element_of(context_, 7), 3}, {one, 2}});
  EXPECT_EQ(rotations.entries.size(), 2U);
  const Ciphertext a = encrypted(a_);
  EXPECT_EQ(decrypted(a), a_);
  Ciphertext c = value(multiply(context_, a, encrypted(b_)));
  EXPECT_EQ(decrypted(c), product());
  c = value(relinearise(context_, std::move(c), relinearisation));
  EXPECT_EQ(decrypted(c), product());
  EXPECT_EQ(decrypted(value(rotate(context_, c, 1, rotations))), rotated(product(), 1));
  for (size_t n_primes = context_.n_data(); n_primes >= 2; --n_primes) {
    const Ciphertext low = value(drop_to(context_, a, n_primes));
    EXPECT_EQ(decrypted(value(rotate(context_, low, 1, rotations))), rotated(a_, 1));
    if (n_primes <= 3) {
      EXPECT_EQ(decrypted(value(rotate(context_, low, 7, rotations))), rotated(a_, 7));
    }
    Ciphertext square = value(multiply(context_, low, low));
    if (estimated_budget(context_, square) > 20) {
      square = value(relinearise(context_, std::move(square), relinearisation));
      EXPECT_EQ(decrypted(square), each([&](size_t i) { return a_[i] * a_[i]; }));
    }
  }
  // Products of products, until the estimate has nothing left.
  Slots expected = a_;
  Ciphertext power = a;
  for (int depth = 0;; ++depth) {
    power = value(relinearise(context_, value(multiply(context_, power, power)), relinearisation));
    if (context_.scheme() == Scheme::Bgv && power.n_primes() > 1) {
      power = value(drop_prime(context_, std::move(power)));
    }
    if (estimated_budget(context_, power) <= 0) {
      EXPECT_GE(depth, 3);
      break;
    }
    expected = each([&](size_t i) { return expected[i] * expected[i]; });
    ASSERT_EQ(decrypted(power), expected) << depth;
  }
}

TEST_P(JointIntegers, KeysAreStored) {
  const RelinearisationKey key = p_.make_relinearisation_key(3);
  EXPECT_FALSE(key.key.seed);
  const Bytes bytes = value(serialise(context_, key));
  const RelinearisationKey again = value(deserialise_relinearisation_key(context_, bytes));
  EXPECT_EQ(again.key.rows, key.key.rows);
  EXPECT_EQ(value(serialise(context_, again)), bytes);
  const RotationKeys rotations = p_.make_rotation_keys({{5, 0}});
  const RotationKeys rotations_again =
      value(deserialise_rotation_keys(context_, value(serialise(context_, rotations))));
  EXPECT_EQ(rotations_again.entries[0].key.rows, rotations.entries[0].key.rows);
  const PublicKey public_again =
      value(deserialise_public_key(context_, value(serialise(context_, public_key_))));
  EXPECT_EQ(public_again.parts[0], public_key_.parts[0]);
  EXPECT_EQ(public_again.parts[1], public_key_.parts[1]);
  const Parameters parameters =
      value(deserialise_parameters(serialise(context_.parameters()), InsecureParameters::Accept));
  EXPECT_EQ(parameters.n_key_holders(), context_.parameters().n_key_holders());
  EXPECT_EQ(parameters.digest(), context_.parameters().digest());
}

TEST_P(JointIntegers, DecryptTogetherAtEveryLevel) {
  const auto edge = static_cast<int64_t>(32768);
  for (const Slots& slots :
       {a_, Slots(context_.n(), 0), Slots(context_.n(), edge), Slots(context_.n(), -edge)}) {
    for (size_t n_primes = context_.n_data(); n_primes >= 1; --n_primes) {
      const Ciphertext a = encrypted(slots, n_primes);
      const Result<unsigned> bits = flooding_bits(context_, p_.session, a, {});
      if (!bits) {
        EXPECT_EQ(n_primes, 1U);
        EXPECT_TRUE(says(bits, "bits are missing"));
        continue;
      }
      // 2^40 times ten deviations.
      EXPECT_GE(bits.value(), 40 + a.metadata.noise + std::log2(10));
      EXPECT_EQ(decoded(p_.decrypted_together(a).plaintext), slots);
    }
    // Smaller noise, fewer primes.
    const Ciphertext dropped = value(drop_to(context_, encrypted(slots), 2));
    EXPECT_EQ(decoded(p_.decrypted_together(dropped).plaintext), slots);
  }
}

TEST_P(JointIntegers, DecryptWithAllTheNoiseThatFits) {
  Ciphertext a = encrypted(a_, 3);
  double low = 0;
  double high = 150;
  while (high - low > 0.25) {
    const double middle = (low + high) / 2;
    (flooding_bits(context_, p_.session, a, {.participants = {}, .noise_bound = middle}) ? low
                                                                                         : high) =
        middle;
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(decoded(p_.decrypted_together(a, {.participants = {}, .noise_bound = low}).plaintext),
              a_);
  }
  const Result<unsigned> refused =
      flooding_bits(context_, p_.session, a, {.participants = {}, .noise_bound = high + 9});
  EXPECT_TRUE(says(refused, "10 bits are missing")) << low;
  for (const double noise : {double{NAN}, double{INFINITY}}) {
    a.metadata.noise = noise;
    EXPECT_TRUE(says(flooding_bits(context_, p_.session, a, {}), "no finite estimate"));
  }
}

TEST_P(JointIntegers, SwitchToAReceiver) {
  const SecretKey receiver = generate_secret_key(context_, p_.random);
  const PublicKey key = value(generate_public_key(context_, receiver, p_.random));
  for (const size_t n_primes : {5U, 3U}) {
    const Ciphertext a = encrypted(a_, n_primes);
    const std::vector<Message> shares = p_.from_all(
        [&](Party& p) { return share_key_switching(context_, p, a, key, {}, p_.random); });
    const Ciphertext switched =
        value(combine_key_switching(context_, p_.session, a, key, {}, shares));
    EXPECT_LE(estimated_budget(context_, switched),
              value(measured_budget(context_, receiver, switched)));
    EXPECT_EQ(decoded(value(decrypt(context_, receiver, switched, p_.random))), a_);
    EXPECT_TRUE(says(decrypt(context_, secret_, switched, p_.random), "different secret key"));
    // Shares for one receiver are not for another, nor for all.
    const SecretKey other = generate_secret_key(context_, p_.random);
    const PublicKey other_key = value(generate_public_key(context_, other, p_.random));
    EXPECT_TRUE(says(combine_key_switching(context_, p_.session, a, other_key, {}, shares),
                     "something else"));
    EXPECT_TRUE(says(combine_decryption(context_, p_.session, a, {}, shares), "is of step"));
  }
}

TEST_P(JointIntegers, Refresh) {
  const RelinearisationKey key = p_.make_relinearisation_key();
  Ciphertext a = encrypted(a_);
  Slots expected = a_;
  for (FreshNumber number = 0; number < 3; ++number) {
    a = value(relinearise(context_, value(multiply(context_, a, a)), key));
    expected = each([&](size_t i) { return expected[i] * expected[i]; });
    if (number > 0) {
      a = value(drop_to(context_, std::move(a), 4 - number));
    }
    a = p_.refreshed(a, number);
    EXPECT_EQ(a.n_primes(), context_.n_data());
    EXPECT_EQ(decrypted(a), expected);
    EXPECT_LT(a.metadata.noise, context_.noise().fresh_public());
    // Stored with its seed.
    const Ciphertext again = value(deserialise_ciphertext(context_, value(serialise(context_, a))));
    EXPECT_EQ(again.parts[1], a.parts[1]);
  }
}

TEST_P(JointIntegers, ToSharesAndBack) {
  Ciphertext a = value(drop_to(context_, encrypted(a_), 3));
  std::vector<Plaintext> shares;
  const std::vector<Message> messages = p_.from_all([&](Party& p) -> Result<Message> {
    OpenedShare opened = value(share_to_shares(context_, p, a, {}, p_.random));
    shares.push_back(std::move(opened.share));
    return std::move(opened.message);
  });
  Slots sum(context_.n());
  for (unsigned i = 0; i < shares.size(); ++i) {
    shares[i] = value(finish_share(context_, p_.session, i, a, {}, std::move(shares[i]), messages));
    const Slots share = decoded(shares[i]);
    EXPECT_NE(share, a_);
    for (size_t k = 0; k < sum.size(); ++k) {
      sum[k] += share[k];
    }
  }
  EXPECT_EQ(each([&](size_t i) { return sum[i]; }), a_);
  const std::vector<Message> back = p_.from_all([&](Party& p) {
    return share_from_shares(context_, p, shares[p.number()], 9, {}, p_.random);
  });
  const Ciphertext again = value(combine_from_shares(context_, p_.session, 9, {}, back));
  EXPECT_EQ(decrypted(again), a_);
}

TEST_P(JointIntegers, AnyThatAreEnough) {
  const unsigned n = p_.session.n_parties();
  const Ciphertext a = encrypted(a_);
  if (p_.session.threshold() == n) {
    const PartySet fewer = PartySet::first(n - 1);
    EXPECT_TRUE(
        says(flooding_bits(context_, p_.session, a, {.participants = fewer}), "parties take part"));
    EXPECT_TRUE(says(share_secret(context_, p_.parties[0], p_.random), "nothing to share"));
    return;
  }
  FreshNumber number = 0;
  for (uint64_t bits = 1; bits < uint64_t{1} << n; ++bits) {
    const DecryptionTerms terms{.participants = PartySet(bits)};
    if (terms.participants.size() < p_.session.threshold()) {
      EXPECT_TRUE(says(
          share_decryption(context_, p_.parties[terms.participants.lowest()], a, terms, p_.random),
          "parties take part"));
      continue;
    }
    EXPECT_EQ(decoded(p_.decrypted_together(a, terms).plaintext), a_) << bits;
    EXPECT_EQ(decrypted(p_.refreshed(a, number++, terms)), a_) << bits;
    for (unsigned absent = 0; absent < n; ++absent) {
      if (!terms.participants.contains(absent)) {
        EXPECT_TRUE(says(share_decryption(context_, p_.parties[absent], a, terms, p_.random),
                         "not one of those"));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, JointIntegers, testing::ValuesIn(cases({Scheme::Bfv, Scheme::Bgv})),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace tacet::he::joint
