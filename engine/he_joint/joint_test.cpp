// Joint keys against the sum of the parties' secrets, which a test may compute and nobody else: for
// every scheme, numbers of parties, levels and extreme messages.

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "base/value.h"
#include "engine/he/choose_parameters.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/noise.h"
#include "engine/he/object_envelope.h"
#include "engine/he/serialisation.h"
#include "engine/he_joint/joint_keys.h"
#include "engine/he_joint/joint_refresh.h"
#include "engine/he_joint/secret_sharing.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::he::joint {
namespace {

using Slots = std::vector<int64_t>;
using Reals = std::vector<std::complex<double>>;

struct Case {
  std::string name;
  Scheme scheme;
  unsigned n_parties;
  unsigned n_special = 1;
  unsigned threshold = 0;
  size_t n = 512;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

auto request_of(const Case& c) -> ParameterRequest {
  return {.scheme = c.scheme,
          .ring_dimension = c.n,
          .data_prime_bits = {50, 50, 50, 50, 50},
          .special_prime_bits = std::vector<unsigned>(c.n_special, 50),
          .plain_modulus = c.scheme == Scheme::Ckks ? 0U : 65537U,
          .n_key_holders = c.n_parties};
}

auto cases(std::initializer_list<Scheme> schemes) -> std::vector<Case> {
  std::vector<Case> result;
  for (const Scheme scheme : schemes) {
    const std::string name(scheme_name(scheme));
    for (const unsigned n : {2U, 3U, 8U}) {
      result.push_back(
          {.name = name + "_of_" + std::to_string(n), .scheme = scheme, .n_parties = n});
    }
    result.push_back(
        {.name = name + "_digits_of_two", .scheme = scheme, .n_parties = 3, .n_special = 2});
    result.push_back({.name = name + "_3_of_5", .scheme = scheme, .n_parties = 5, .threshold = 3});
    result.push_back({.name = name + "_large", .scheme = scheme, .n_parties = 3, .n = 8192});
  }
  return result;
}

template <class T>
auto says(const Result<T>& result, std::string_view what) -> testing::AssertionResult {
  if (result) {
    return testing::AssertionFailure() << "succeeded";
  }
  if (result.error().message.find(what) == std::string::npos) {
    return testing::AssertionFailure() << result.error().message;
  }
  return testing::AssertionSuccess();
}

/// All parties of a session.
class Parties {
 public:
  explicit Parties(const Case& c, uint64_t seed = 1)
      : random(secure_random::seeded_random(secure_random::TestSeed::of(seed), best_isa())),
        context_ref(Context::make(value(insecure_test_parameters(request_of(c))))),
        context(*context_ref),
        session(value(Session::make(context, PublicSeed::draw(random), c.threshold))) {
    for (unsigned i = 0; i < c.n_parties; ++i) {
      parties.push_back(value(Party::make(context, session, i, random)));
    }
    if (session.threshold() < c.n_parties) {
      std::vector<std::vector<Message>> sent;
      for (Party& party : parties) {
        sent.push_back(value(share_secret(context, party, random)));
      }
      for (Party& party : parties) {
        std::vector<Message> own;
        for (const std::vector<Message>& messages : sent) {
          own.push_back(messages[party.number()]);
        }
        EXPECT_TRUE(accept_shares(context, party, own).has_value());
      }
    }
  }

  /// Messages of all, or of some.
  template <class Make>
  auto from(PartySet participants, Make make) -> std::vector<Message> {
    std::vector<Message> messages;
    for (const unsigned i : participants.members()) {
      // What travels is bytes.
      const Message message = value(make(parties[i]));
      messages.push_back(value(deserialise_message(context, value(serialise(context, message)))));
    }
    return messages;
  }
  template <class Make>
  auto from_all(Make make) -> std::vector<Message> {
    return from(session.parties(), make);
  }

  auto make_public_key() -> PublicKey {
    return value(combine_public_key(context, session, from_all([&](Party& p) {
                                      return share_public_key(context, p, random);
                                    })));
  }
  auto make_relinearisation_key(size_t n_primes = 0) -> RelinearisationKey {
    std::vector<EphemeralSecret> ephemeral;
    const std::vector<Message> first = from_all([&](Party& p) -> Result<Message> {
      RelinearisationFirst made = value(share_relinearisation_first(context, p, random, n_primes));
      ephemeral.push_back(std::move(made.ephemeral));
      return std::move(made.message);
    });
    const std::vector<Message> second = from_all([&](Party& p) {
      return share_relinearisation_second(context, p, std::move(ephemeral[p.number()]), first,
                                          random);
    });
    return value(combine_relinearisation_key(context, session, first, second, n_primes));
  }
  auto make_rotation_keys(const std::vector<RotationKeyRequest>& requests) -> RotationKeys {
    return value(combine_rotation_keys(context, session, requests, from_all([&](Party& p) {
                                         return share_rotation_keys(context, p, requests, random);
                                       })));
  }

  /// What nobody has.
  auto secret_key() const -> SecretKey {
    SecretKey sum{.rows = parties[0].secret(),
                  .id = session.key_id(),
                  .parameters = context.parameters().digest()};
    for (size_t p = 1; p < parties.size(); ++p) {
      for (size_t i = 0; i < sum.rows.n_rows(); ++i) {
        context.kernels().add(sum.rows.row(i), sum.rows.row(i), parties[p].secret().row(i),
                              context.n(), context.modulus(i));
      }
    }
    return sum;
  }

  auto decrypted_together(const Ciphertext& a, const DecryptionTerms& terms = {})
      -> DecryptedMessage {
    const PartySet who = terms.participants == PartySet() ? session.parties() : terms.participants;
    const std::vector<Message> shares =
        from(who, [&](Party& p) { return share_decryption(context, p, a, terms, random); });
    return value(combine_decryption(context, session, a, terms, shares));
  }

  auto refreshed(const Ciphertext& a, FreshNumber number, const DecryptionTerms& terms = {})
      -> Ciphertext {
    const PartySet who = terms.participants == PartySet() ? session.parties() : terms.participants;
    const std::vector<Message> shares =
        from(who, [&](Party& p) { return share_refresh(context, p, a, number, terms, random); });
    return value(combine_refresh(context, session, a, number, terms, shares));
  }

  SecureRandom random;
  ContextRef context_ref;
  const Context& context;
  Session session;
  std::vector<Party> parties;
};

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

auto small_case() -> Case {
  return {.name = "small", .scheme = Scheme::Bfv, .n_parties = 3, .n = 64};
}

auto small_message(Parties& p, const PublicKey& key, int64_t first = 1) -> Ciphertext {
  const IntegerEncoder encoder(p.context);
  const Slots coefficients = {first};
  return value(encrypt(p.context, key, value(encoder.encode_coefficients(coefficients)), p.random));
}

TEST(JointSessions, RefuseWhatDoesNotBelong) {
  Parties p(small_case());
  const Context& context = p.context;
  const PublicKey key = p.make_public_key();
  const Ciphertext a = small_message(p, key);
  const Ciphertext b = small_message(p, key);
  const auto share = [&](Party& party, const Ciphertext& of) {
    return share_decryption(context, party, of, {}, p.random);
  };
  std::vector<Message> shares = p.from_all([&](Party& q) { return share(q, a); });
  const auto combined = [&](const std::vector<Message>& messages) {
    return combine_decryption(context, p.session, a, {}, messages);
  };
  EXPECT_TRUE(combined(shares));
  // A share of another ciphertext, which a server may have requested before.
  std::vector<Message> replayed = shares;
  replayed[1] = value(share(p.parties[1], b));
  EXPECT_TRUE(says(combined(replayed), "party 1 in step 'decryption' is about something else"));
  EXPECT_TRUE(says(combine_decryption(context, p.session, b, {}, shares), "something else"));
  std::vector<Message> missing(shares.begin(), shares.begin() + 2);
  EXPECT_TRUE(says(combined(missing), "missing messages of party 2"));
  EXPECT_TRUE(says(combined({}), "missing messages of parties 0, 1, 2"));
  missing.push_back(shares[0]);
  EXPECT_TRUE(says(combined(missing), "missing messages of party 2"));
  shares.push_back(shares[0]);
  EXPECT_TRUE(says(combined(shares), "more than one message of party 0"));
  shares.pop_back();
  // Helpers add what they have.
  const std::vector<Message> two(shares.begin(), shares.begin() + 2);
  EXPECT_TRUE(combined({value(merge(context, two)), shares[2]}));
  EXPECT_TRUE(says(merge(context, std::vector{shares[0], replayed[1]}), "something else"));
  // Other sessions, other widths of noise.
  Parties other(small_case(), 2);
  std::vector<Message> foreign = shares;
  foreign[2] = value(share_decryption(other.context, other.parties[2],
                                      small_message(other, other.make_public_key()), {}, p.random));
  EXPECT_TRUE(says(combined(foreign), "another session"));
  std::vector<Message> narrow = shares;
  narrow[0] = value(share_decryption(context, p.parties[0], a,
                                     {.participants = {}, .noise_bound = 30}, p.random));
  EXPECT_TRUE(says(combined(narrow), "width of noise"));
  EXPECT_TRUE(
      says(share_decryption(context, p.parties[0], value(multiply(context, a, a)), {}, p.random),
           "relinearise first"));
  Ciphertext stranger = a;
  stranger.metadata.key_id ^= 1;
  EXPECT_TRUE(says(share(p.parties[0], stranger), "different key"));
}

TEST(JointSessions, UseNoUniformPolynomialTwice) {
  Parties p(small_case());
  const Context& context = p.context;
  const PublicKey key = p.make_public_key();
  const Ciphertext a = small_message(p, key);
  EXPECT_TRUE(says(share_public_key(context, p.parties[0], p.random), "already made"));
  p.refreshed(a, 4);
  EXPECT_TRUE(says(share_refresh(context, p.parties[1], a, 4, {}, p.random), "already made"));
  const IntegerEncoder encoder(context);
  const Plaintext one = value(encoder.encode_coefficients(Slots{1}));
  EXPECT_TRUE(says(share_from_shares(context, p.parties[1], one, 4, {}, p.random), "already made"));
  p.make_rotation_keys({{3, 0}});
  EXPECT_TRUE(
      says(share_rotation_keys(context, p.parties[1], {{5, 0}, {3, 0}}, p.random), "already made"));
  RelinearisationFirst first = value(share_relinearisation_first(context, p.parties[0], p.random));
  EXPECT_TRUE(says(share_relinearisation_first(context, p.parties[0], p.random), "already made"));
}

TEST(JointSessions, HaveTwoPartiesAtLeast) {
  Case c = small_case();
  c.n_parties = 1;
  SecureRandom random = secure_random::seeded_random(secure_random::TestSeed::of(1), best_isa());
  const ContextRef one = Context::make(value(insecure_test_parameters(request_of(c))));
  EXPECT_TRUE(says(Session::make(*one, PublicSeed::draw(random)), "one party holds"));
  c.n_parties = 65;
  EXPECT_TRUE(says(insecure_test_parameters(request_of(c)), "at most 64"));
  c.n_parties = 3;
  const ContextRef three = Context::make(value(insecure_test_parameters(request_of(c))));
  EXPECT_TRUE(says(Session::make(*three, PublicSeed::draw(random), 4), "at most all"));
  EXPECT_TRUE(says(Session::make(*three, PublicSeed::draw(random), 1), "at least two"));
  const Session session = value(Session::make(*three, PublicSeed::draw(random)));
  EXPECT_TRUE(says(Party::make(*three, session, 3, random), "no party 3"));
  // Keys of one holder are of other parameters: their estimates of noise do not hold here.
  EXPECT_TRUE(says(Party::make(*one, session, 0, random), "other parameters"));
}

TEST(JointSessions, HaveParametersOfTheirOwn) {
  ParameterNeeds needs{.scheme = Scheme::Bgv, .depth = 2, .margin = 60, .n_key_holders = 5};
  const Parameters joint = value(choose_parameters(needs));
  EXPECT_EQ(joint.n_key_holders(), 5U);
  EXPECT_GE(budget_after(joint, needs), 60);
  needs.n_key_holders = 1;
  const Parameters one = value(choose_parameters(needs));
  EXPECT_GT(joint.modulus_bits(), one.modulus_bits());
  EXPECT_NE(joint.digest(), one.digest());
  // A number of key holders that is 1, or none, is stored in one form alone.
  Bytes bytes = serialise(joint);
  bytes[bytes.size() - kChecksumSize - 1] = std::byte{1};
  seal_envelope(ObjectKind::Parameters, joint.scheme(), one.digest(), bytes);
  EXPECT_TRUE(says(deserialise_parameters(bytes), "it takes two"));
  bytes[bytes.size() - kChecksumSize - 1] = std::byte{65};
  seal_envelope(ObjectKind::Parameters, joint.scheme(), one.digest(), bytes);
  EXPECT_TRUE(says(deserialise_parameters(bytes), "at most 64"));
}

TEST(JointSessions, RefuseDamagedMessages) {
  Parties p(small_case());
  SecureBytes bytes =
      value(serialise(p.context, value(share_public_key(p.context, p.parties[1], p.random))));
  const Message message = value(deserialise_message(p.context, bytes));
  EXPECT_EQ(message.senders, PartySet::of(1));
  for (size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_FALSE(deserialise_message(p.context, std::span(bytes).first(size))) << size;
  }
  for (size_t at = 0; at < bytes.size(); at += 5) {
    bytes[at] ^= std::byte{4};
    EXPECT_FALSE(deserialise_message(p.context, bytes)) << at;
    bytes[at] ^= std::byte{4};
  }
  Case c = small_case();
  c.n_parties = 4;
  Parties other(c);
  EXPECT_TRUE(says(deserialise_message(other.context, bytes), "other parameters"));
  // Fields that no message has, under a checksum that is right.
  const auto changed = [&](size_t at, uint8_t byte) {
    SecureBytes copy = bytes;
    copy[kEnvelopeHeaderSize + at] = static_cast<std::byte>(byte);
    seal_envelope(ObjectKind::JointShare, p.context.scheme(), p.context.parameters().digest(),
                  copy);
    return deserialise_message(p.context, copy);
  };
  EXPECT_TRUE(says(changed(0, 11), "of step 11"));
  EXPECT_TRUE(says(changed(1, 3), "names parties"));
  EXPECT_TRUE(says(changed(66, 0xff), "names parties"));
  EXPECT_TRUE(says(changed(74, 0), "names parties"));
  EXPECT_TRUE(says(changed(82, 2), "polynomial"));
  EXPECT_TRUE(says(changed(82, 0), "bytes too many"));
  EXPECT_TRUE(says(changed(86, 6), "primes the parameters do not have"));
}

TEST(JointSessions, TakeSixtyFourParties) {
  Case c = small_case();
  c.n_parties = 64;
  Parties p(c);
  const Ciphertext a = small_message(p, p.make_public_key(), 5);
  const IntegerEncoder encoder(p.context);
  const Slots slots = value(encoder.decode_coefficients(p.decrypted_together(a).plaintext));
  EXPECT_EQ(slots[0], 5);
  EXPECT_EQ(slots[1], 0);
  const Ciphertext square =
      value(relinearise(p.context, value(multiply(p.context, a, a)), p.make_relinearisation_key()));
  EXPECT_LE(estimated_budget(p.context, square),
            value(measured_budget(p.context, p.secret_key(), square)));
  EXPECT_EQ(value(encoder.decode_coefficients(p.decrypted_together(square).plaintext))[0], 25);
}

}  // namespace
}  // namespace tacet::he::joint
