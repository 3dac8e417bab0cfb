#include "engine/he/choose_parameters.h"

#include <gtest/gtest.h>

#include "base/value.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"
#include "engine/he/noise.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::he {
namespace {

/// Runs such a computation on numbers modulo t and looks at what is left.
void expect_enough(const ParameterNeeds& needs) {
  const Parameters parameters = value(choose_parameters(needs));
  SCOPED_TRACE(fmt::format("{} depth {} and {}: N = {}, {} data primes, {:.0f} bits",
                           scheme_name(needs.scheme), needs.depth, needs.plain_depth,
                           parameters.ring_dimension(), parameters.data_primes().size(),
                           parameters.modulus_bits()));
  EXPECT_EQ(parameters.security(), needs.security);
  const ContextRef context_ref = Context::make(parameters);
  const Context& context = *context_ref;
  SecureRandom random = secure_random::seeded_random(secure_random::TestSeed::of(3), best_isa());
  const SecretKey secret = generate_secret_key(context, random);
  const PublicKey public_key = value(generate_public_key(context, secret, random));
  std::optional<RelinearisationKey> relinearisation_key;
  if (needs.depth > 0) {
    relinearisation_key = value(generate_relinearisation_key(context, secret, random));
  }
  const IntegerEncoder encoder(context);
  std::vector<int64_t> expected(context.n());
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] = static_cast<int64_t>(i * i % 9973) - 4000;
  }
  const Plaintext factor_slots = value(encoder.encode(expected));
  const std::vector<int64_t> factors = expected;
  Ciphertext a = value(encrypt(context, public_key, factor_slots, random));
  const auto multiply_slots = [&](const std::vector<int64_t>& others) {
    const auto t = static_cast<__int128>(parameters.plain_modulus());
    for (size_t i = 0; i < expected.size(); ++i) {
      auto rest = static_cast<int64_t>(static_cast<__int128>(expected[i]) * others[i] % t);
      const auto half = static_cast<int64_t>(t / 2);
      rest += rest < -half ? static_cast<int64_t>(t) : 0;
      rest -= rest > half ? static_cast<int64_t>(t) : 0;
      expected[i] = rest;
    }
  };
  const auto drop = [&] {
    if (needs.scheme == Scheme::Bgv && a.n_primes() > 1) {
      const Ciphertext dropped = value(drop_prime(context, a));
      if (estimated_budget(context, dropped) > estimated_budget(context, a) - 1) {
        a = dropped;
      }
    }
  };
  for (unsigned level = 0; level < std::max(needs.depth, needs.plain_depth); ++level) {
    if (level < needs.depth) {
      a = value(relinearise(context, value(multiply(context, a, a)), *relinearisation_key));
      multiply_slots(std::vector<int64_t>(expected));
      drop();
    }
    if (level < needs.plain_depth) {
      a = value(multiply_plain(context, a, value(prepare_factor(context, factor_slots))));
      multiply_slots(factors);
      drop();
    }
  }
  EXPECT_GE(value(measured_budget(context, secret, a)), needs.margin);
  EXPECT_GE(estimated_budget(context, a), needs.margin);
  EXPECT_EQ(value(encoder.decode(value(decrypt(context, secret, a, random)))), expected);
}

TEST(ChooseParameters, LeaveTheMargin) {
  for (const Scheme scheme : {Scheme::Bfv, Scheme::Bgv}) {
    for (const unsigned depth : {0U, 1U, 2U, 4U}) {
      for (const unsigned plain_depth : {0U, 1U}) {
        expect_enough({.scheme = scheme, .depth = depth, .plain_depth = plain_depth});
      }
    }
    expect_enough({.scheme = scheme, .depth = 2, .plain_bits = 30, .margin = 20});
    expect_enough({.scheme = scheme, .depth = 1, .security = Security::Bits256});
  }
}

TEST(ChooseParameters, TakeTheSmallestRing) {
  const auto ring_for = [](const ParameterNeeds& needs) {
    return value(choose_parameters(needs)).ring_dimension();
  };
  EXPECT_EQ(ring_for({.depth = 0}), 2048U);
  EXPECT_EQ(ring_for({.depth = 1}), 4096U);
  EXPECT_EQ(ring_for({.depth = 2}), 8192U);
  EXPECT_EQ(ring_for({.n_slots = 5000, .depth = 0}), 16384U);
  EXPECT_EQ(ring_for({.scheme = Scheme::Ckks, .depth = 2}), 8192U);
  EXPECT_EQ(ring_for({.scheme = Scheme::Ckks, .depth = 5}), 16384U);
}

TEST(ChooseParameters, TakeSeveralPrimesADigitWhereThereIsRoom) {
  const Parameters parameters = value(choose_parameters({.n_slots = 16384, .depth = 6}));
  EXPECT_EQ(parameters.ring_dimension(), 32768U);
  EXPECT_GT(parameters.special_primes().size(), 1U);
  EXPECT_EQ(value(choose_parameters({.depth = 1})).special_primes().size(), 1U);
}

TEST(ChooseParameters, SayWhenNothingIsLargeEnough) {
  const auto result = choose_parameters({.depth = 200});
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("200 sequential products"), std::string::npos);
}

TEST(Parameters, KeepThePromiseOfSecurity) {
  ParameterRequest request = default_request(Scheme::Bfv, 8192);
  EXPECT_TRUE(make_parameters(request));
  request.special_prime_bits.push_back(30);
  const auto refused = make_parameters(request);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("128 bits of security allow at most 214"),
            std::string::npos);
  // Without the promise they can be had, and are other parameters.
  const Parameters insecure = value(insecure_test_parameters(default_request(Scheme::Bfv, 8192)));
  const Parameters secure = value(make_parameters(default_request(Scheme::Bfv, 8192)));
  EXPECT_FALSE(insecure.security());
  EXPECT_FALSE(insecure == secure);
  for (const size_t n : {4096U, 8192U, 16384U, 32768U}) {
    for (const Security security : {Security::Bits128, Security::Bits192, Security::Bits256}) {
      for (const Scheme scheme : {Scheme::Bfv, Scheme::Bgv, Scheme::Ckks}) {
        const Parameters parameters =
            value(make_parameters(default_request(scheme, n, 20, security)));
        EXPECT_LE(parameters.modulus_bits(), *max_modulus_bits(n, security) + kModulusSlack);
        EXPECT_GE(parameters.modulus_bits(), *max_modulus_bits(n, security) - 2);
      }
    }
  }
}

TEST(Parameters, SayWhatCannotBeHad) {
  const auto message = [](ParameterRequest request) {
    const auto result = insecure_test_parameters(request);
    return result ? std::string("none") : result.error().message;
  };
  ParameterRequest request{.scheme = Scheme::Bfv,
                           .ring_dimension = 1024,
                           .data_prime_bits = {40},
                           .special_prime_bits = {},
                           .plain_modulus = 12289};
  EXPECT_EQ(message(request), "none");
  request.ring_dimension = 1000;
  EXPECT_NE(message(request).find("ring dimension is 1000"), std::string::npos);
  request.ring_dimension = 1024;
  request.data_prime_bits = {51};
  EXPECT_NE(message(request).find("no further prime of 51 bits"), std::string::npos);
  request.data_prime_bits = {};
  EXPECT_NE(message(request).find("at least one must be for data"), std::string::npos);
  request.data_prime_bits = {40};
  request.plain_modulus = 1;
  EXPECT_NE(message(request).find("plaintext modulus is 1"), std::string::npos);
  request.scheme = Scheme::Ckks;
  EXPECT_NE(message(request).find("CKKS has no plaintext modulus"), std::string::npos);
}

}  // namespace
}  // namespace tacet::he
