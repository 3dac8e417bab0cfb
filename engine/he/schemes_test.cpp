// What every scheme promises, over parameters, levels and instruction sets: operations on
// ciphertexts are operations on slots, and the estimate of noise never promises more than there is.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/value.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/key_generation.h"
#include "engine/he/noise.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::he {
namespace {

using Slots = std::vector<int64_t>;

struct Case {
  std::string name;
  ParameterRequest request;
  Isa isa;
  unsigned n_threads = 1;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

auto cases(std::initializer_list<Scheme> schemes) -> std::vector<Case> {
  std::vector<Case> result;
  for (const Scheme scheme : schemes) {
    const uint64_t t = scheme == Scheme::Ckks ? 0 : 65537;
    const std::vector<std::pair<std::string, ParameterRequest>> requests = {
        {"one_special",
         {.scheme = scheme,
          .ring_dimension = 1024,
          .data_prime_bits = {45, 40, 40, 40},
          .special_prime_bits = {45},
          .plain_modulus = t}},
        {"digits_of_two",
         {.scheme = scheme,
          .ring_dimension = 512,
          .data_prime_bits = {50, 40, 40, 40, 40},
          .special_prime_bits = {50, 50},
          .plain_modulus = t}},
        {"large",
         {.scheme = scheme,
          .ring_dimension = 8192,
          .data_prime_bits = {43, 43, 43},
          .special_prime_bits = {44},
          .plain_modulus = t}},
    };
    for (const auto& [name, request] : requests) {
      for (const Isa isa : supported_isas()) {
        result.push_back(
            {std::string(scheme_name(scheme)) + "_" + name + "_" + std::string(isa_name(isa)),
             request, isa});
      }
      result.push_back(
          {std::string(scheme_name(scheme)) + "_" + name + "_two_threads", request, best_isa(), 2});
    }
  }
  return result;
}

/// Keys and random numbers for one case.
class Fixture {
 public:
  explicit Fixture(const Case& c)
      : context_ref(Context::make(value(insecure_test_parameters(c.request)),
                                  {.isa = c.isa, .n_threads = c.n_threads})),
        context(*context_ref),
        secret(generate_secret_key(context, random)),
        public_key(value(generate_public_key(context, secret, random))),
        relinearisation_key(value(generate_relinearisation_key(context, secret, random))) {}

  void make_rotation_keys(std::initializer_list<int64_t> steps) {
    std::vector<uint64_t> elements = {galois_element_of_swap(context)};
    for (const int64_t step : steps) {
      elements.push_back(galois_element_of(context, step));
    }
    rotation_keys = value(generate_rotation_keys(context, secret, elements, random));
  }

  SecureRandom random = secure_random::seeded_random(secure_random::TestSeed::of(1), best_isa());
  ContextRef context_ref;
  const Context& context;
  SecretKey secret;
  PublicKey public_key;
  RelinearisationKey relinearisation_key;
  RotationKeys rotation_keys;
};

class IntegerSchemes : public testing::TestWithParam<Case> {
 protected:
  IntegerSchemes() : f_(GetParam()), encoder_(f_.context) {
    std::mt19937_64 random(7);
    for (Slots* slots : {&a_, &b_}) {
      for (size_t i = 0; i < f_.context.n(); ++i) {
        slots->push_back(static_cast<int64_t>(random() % t()) - static_cast<int64_t>(t() / 2));
      }
    }
  }

  auto t() const -> uint64_t { return f_.context.plain_modulus().value; }

  auto encrypted(const Slots& slots) -> Ciphertext {
    return value(encrypt(f_.context, f_.public_key, value(encoder_.encode(slots)), f_.random));
  }

  /// What is decrypted; the estimates of its noise must hold.
  auto decrypted(const Ciphertext& ciphertext) -> Slots {
    const double measured = value(measured_budget(f_.context, f_.secret, ciphertext));
    EXPECT_LE(estimated_budget(f_.context, ciphertext), measured);
    return value(encoder_.decode(value(decrypt(f_.context, f_.secret, ciphertext, f_.random))));
  }

  template <class F>
  auto each(F f) const -> Slots {
    Slots result;
    for (size_t i = 0; i < a_.size(); ++i) {
      const auto modulus = static_cast<__int128>(t());
      auto rest = static_cast<int64_t>(static_cast<__int128>(f(i)) % modulus);
      const auto half = static_cast<int64_t>(t() / 2);
      rest += rest < -half ? static_cast<int64_t>(t()) : 0;
      rest -= rest > half ? static_cast<int64_t>(t()) : 0;
      result.push_back(rest);
    }
    return result;
  }

  auto rotated(const Slots& slots, int64_t steps) const -> Slots {
    const auto half = static_cast<int64_t>(slots.size() / 2);
    Slots result;
    for (int64_t i = 0; i < 2 * half; ++i) {
      const int64_t row = i / half * half;
      result.push_back(slots[static_cast<size_t>(row + ((i - row + steps) % half + half) % half)]);
    }
    return result;
  }

  Fixture f_;
  IntegerEncoder encoder_;
  Slots a_, b_;
};

TEST_P(IntegerSchemes, DecryptWhatWasEncrypted) {
  EXPECT_EQ(decrypted(encrypted(a_)), a_);
  const Plaintext plaintext = value(encoder_.encode(a_));
  for (size_t n_primes = 1; n_primes <= f_.context.n_data(); ++n_primes) {
    for (const Ciphertext& ciphertext :
         {value(encrypt(f_.context, f_.secret, plaintext, f_.random, n_primes)),
          value(encrypt(f_.context, f_.public_key, plaintext, f_.random, n_primes))}) {
      ASSERT_EQ(ciphertext.n_primes(), n_primes);
      EXPECT_EQ(decrypted(ciphertext), a_);
    }
  }
}

TEST_P(IntegerSchemes, AddSubtractNegate) {
  const Context& context = f_.context;
  const Ciphertext a = encrypted(a_);
  const Ciphertext b = encrypted(b_);
  EXPECT_EQ(decrypted(value(add(context, a, b))), each([&](size_t i) { return a_[i] + b_[i]; }));
  EXPECT_EQ(decrypted(value(subtract(context, a, b))),
            each([&](size_t i) { return a_[i] - b_[i]; }));
  EXPECT_EQ(decrypted(value(negate(context, a))), each([&](size_t i) { return -a_[i]; }));
}

TEST_P(IntegerSchemes, OperateWithPlaintexts) {
  const Context& context = f_.context;
  const Ciphertext a = encrypted(a_);
  const Plaintext b = value(encoder_.encode(b_));
  EXPECT_EQ(decrypted(value(add_plain(context, a, b))),
            each([&](size_t i) { return a_[i] + b_[i]; }));
  EXPECT_EQ(decrypted(value(subtract_plain(context, a, b))),
            each([&](size_t i) { return a_[i] - b_[i]; }));
  const PlainFactor factor = value(prepare_factor(context, b));
  EXPECT_EQ(decrypted(value(multiply_plain(context, a, factor))),
            each([&](size_t i) { return a_[i] * b_[i]; }));
  // A public constant is small, and so is the noise it brings.
  const Plaintext three = value(encoder_.encode(Slots(context.n(), 3)));
  const Ciphertext tripled =
      value(multiply_plain(context, a, value(prepare_factor(context, three, 0, Secrecy::Public))));
  EXPECT_EQ(decrypted(tripled), each([&](size_t i) { return 3 * a_[i]; }));
  const Ciphertext in_secret =
      value(multiply_plain(context, a, value(prepare_factor(context, three))));
  EXPECT_LT(tripled.metadata.noise + 8, in_secret.metadata.noise);
}

TEST_P(IntegerSchemes, MultiplyAndRelinearise) {
  const Context& context = f_.context;
  const Ciphertext a = encrypted(a_);
  const Ciphertext b = encrypted(b_);
  const Slots expected = each([&](size_t i) { return a_[i] * b_[i]; });
  const Ciphertext product = value(multiply(context, a, b));
  EXPECT_EQ(product.degree(), 2U);
  EXPECT_EQ(decrypted(product), expected);
  // Values of degree two are values: they add, and add to those of degree one.
  EXPECT_EQ(decrypted(value(add(context, a, product))),
            each([&](size_t i) { return a_[i] + a_[i] * b_[i]; }));
  EXPECT_EQ(decrypted(value(subtract(context, a, product))),
            each([&](size_t i) { return a_[i] - a_[i] * b_[i]; }));
  const Ciphertext linear = value(relinearise(context, product, f_.relinearisation_key));
  EXPECT_EQ(linear.degree(), 1U);
  EXPECT_EQ(decrypted(linear), expected);
  EXPECT_FALSE(multiply(context, product, a));
}

TEST_P(IntegerSchemes, RotateAndSwapRows) {
  f_.make_rotation_keys({1, -3, 100});
  const Context& context = f_.context;
  const Ciphertext a = encrypted(a_);
  const HoistedCiphertext hoisted = value(hoist(context, a));
  for (const int64_t steps : {1, -3, 100, 0}) {
    EXPECT_EQ(decrypted(value(rotate(context, a, steps, f_.rotation_keys))), rotated(a_, steps));
    EXPECT_EQ(decrypted(value(rotate(context, hoisted, steps, f_.rotation_keys))),
              rotated(a_, steps));
  }
  Slots swapped(a_.begin() + static_cast<ptrdiff_t>(a_.size() / 2), a_.end());
  swapped.insert(swapped.end(), a_.begin(), a_.begin() + static_cast<ptrdiff_t>(a_.size() / 2));
  EXPECT_EQ(decrypted(value(swap_rows(context, a, f_.rotation_keys))), swapped);
  EXPECT_FALSE(rotate(context, a, 2, f_.rotation_keys));
}

TEST_P(IntegerSchemes, ComputeAtEveryLevel) {
  f_.make_rotation_keys({1});
  const Context& context = f_.context;
  for (size_t n_primes = context.n_data(); n_primes >= 2; --n_primes) {
    const Ciphertext a = value(drop_to(context, encrypted(a_), n_primes));
    const Ciphertext b = value(drop_to(context, encrypted(b_), n_primes));
    ASSERT_EQ(a.n_primes(), n_primes);
    EXPECT_EQ(decrypted(a), a_);
    Ciphertext product = value(multiply(context, a, b));
    product = value(relinearise(context, std::move(product), f_.relinearisation_key));
    const Slots expected = each([&](size_t i) { return a_[i] * b_[i]; });
    if (estimated_budget(context, product) > 0) {
      EXPECT_EQ(decrypted(product), expected);
      EXPECT_EQ(decrypted(value(rotate(context, product, 1, f_.rotation_keys))),
                rotated(expected, 1));
    }
  }
}

TEST_P(IntegerSchemes, MultiplyUntilTheBudgetIsSpent) {
  const Context& context = f_.context;
  Ciphertext power = encrypted(a_);
  Slots expected = a_;
  int depth = 0;
  while (true) {
    power =
        value(relinearise(context, value(multiply(context, power, power)), f_.relinearisation_key));
    if (context.scheme() == Scheme::Bgv && power.n_primes() > 1) {
      power = value(drop_prime(context, std::move(power)));
    }
    if (estimated_budget(context, power) <= 0) {
      break;
    }
    ++depth;
    expected = each([&](size_t i) { return expected[i] * expected[i]; });
    ASSERT_EQ(decrypted(power), expected) << "depth " << depth;
  }
  EXPECT_GE(depth, context.n_data() > 3 ? 3 : 2);
  const auto refused = decrypt(context, f_.secret, power, f_.random);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("noise"), std::string::npos);
}

TEST_P(IntegerSchemes, AddOperandsOfDifferentCorrections) {
  const Context& context = f_.context;
  const Ciphertext a = value(drop_to(context, encrypted(a_), 2));
  const Ciphertext b = value(encrypt(context, f_.secret, value(encoder_.encode(b_)), f_.random, 2));
  EXPECT_EQ(decrypted(value(add(context, a, b))), each([&](size_t i) { return a_[i] + b_[i]; }));
  EXPECT_EQ(decrypted(value(subtract(context, b, a))),
            each([&](size_t i) { return b_[i] - a_[i]; }));
}

TEST_P(IntegerSchemes, RefuseWhatDoesNotGoTogether) {
  const Context& context = f_.context;
  const SecretKey other = generate_secret_key(context, f_.random);
  const Ciphertext a = encrypted(a_);
  const auto says = [](const auto& result, const char* what) {
    return !result && result.error().message.find(what) != std::string::npos;
  };
  EXPECT_TRUE(says(decrypt(context, other, a, f_.random), "different secret key"));
  EXPECT_TRUE(says(add(context, a, value(drop_prime(context, a))), "primes"));
  const Ciphertext foreign = value(encrypt(context, other, value(encoder_.encode(a_)), f_.random));
  EXPECT_TRUE(says(add(context, a, foreign), "different secret keys"));
  EXPECT_TRUE(says(multiply(context, a, foreign), "different secret keys"));
  EXPECT_TRUE(
      says(relinearise(context, value(multiply(context, foreign, foreign)), f_.relinearisation_key),
           "different secret key"));
  ParameterRequest request = GetParam().request;
  request.plain_modulus = 40961;
  const ContextRef elsewhere = Context::make(value(insecure_test_parameters(request)));
  EXPECT_TRUE(says(add(*elsewhere, a, a), "other parameters"));
  EXPECT_TRUE(says(decrypt(*elsewhere, f_.secret, a, f_.random), "other parameters"));
  EXPECT_TRUE(says(encoder_.encode(Slots{static_cast<int64_t>(t())}), "out of range"));
  const Plaintext plaintext = value(encoder_.encode(a_));
  const SecretKey key_elsewhere = generate_secret_key(*elsewhere, f_.random);
  EXPECT_TRUE(says(encrypt(*elsewhere, key_elsewhere, plaintext, f_.random), "other parameters"));
  EXPECT_TRUE(says(prepare_factor(*elsewhere, plaintext), "other parameters"));
  EXPECT_TRUE(says(IntegerEncoder(*elsewhere).decode(plaintext), "other parameters"));
  const Ciphertext b =
      value(encrypt(*elsewhere, key_elsewhere,
                    value(IntegerEncoder(*elsewhere).encode_coefficients(Slots{1})), f_.random));
  EXPECT_TRUE(says(multiply_plain(*elsewhere, b, value(prepare_factor(context, plaintext))),
                   "other parameters"));
  EXPECT_TRUE(says(generate_public_key(*elsewhere, f_.secret, f_.random), "other parameters"));
  EXPECT_TRUE(
      says(generate_relinearisation_key(*elsewhere, f_.secret, f_.random), "other parameters"));
  EXPECT_TRUE(
      says(generate_rotation_keys(*elsewhere, f_.secret, {}, f_.random), "other parameters"));
  EXPECT_TRUE(says(rotate(context, a, -3, f_.rotation_keys), "other parameters"));
  f_.make_rotation_keys({1});
  EXPECT_TRUE(says(rotate(context, a, -3, f_.rotation_keys),
                   ("rotations by " + std::to_string(context.n() / 2 - 3)).c_str()));
  EXPECT_TRUE(says(encoder_.encode(Slots(context.n() + 1)), "places"));
}

INSTANTIATE_TEST_SUITE_P(All, IntegerSchemes, testing::ValuesIn(cases({Scheme::Bfv, Scheme::Bgv})),
                         [](const auto& tested) { return tested.param.name; });

class Ckks : public testing::TestWithParam<Case> {
 protected:
  using Complex = std::complex<double>;
  using Vector = std::vector<Complex>;

  Ckks() : f_(GetParam()), encoder_(f_.context) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> number(-0.7, 0.7);
    for (Vector* slots : {&a_, &b_}) {
      for (size_t i = 0; i < f_.context.n() / 2; ++i) {
        slots->emplace_back(number(random), number(random));
      }
    }
  }

  auto encoded(const Vector& slots) -> Plaintext { return value(encoder_.encode(slots, kScale)); }
  auto encrypted(const Vector& slots) -> Ciphertext {
    return value(encrypt(f_.context, f_.public_key, encoded(slots), f_.random));
  }

  template <class F>
  void expect(const Ciphertext& ciphertext, F f) {
    const Plaintext plaintext = value(decrypt(f_.context, f_.secret, ciphertext, f_.random,
                                              {.kind = CkksAudience::Kind::KeyHolder}));
    const Vector slots = value(encoder_.decode(plaintext));
    const double bound = estimated_error(f_.context, ciphertext);
    EXPECT_LT(bound, 0x1p-10);
    for (size_t i = 0; i < slots.size(); ++i) {
      ASSERT_LE(std::abs(slots[i] - f(i)), bound) << i;
    }
  }

  static constexpr double kScale = 0x1p40;
  Fixture f_;
  ComplexEncoder encoder_;
  Vector a_, b_;
};

TEST_P(Ckks, EncodesAndDecodes) {
  const Vector slots = value(encoder_.decode(encoded(a_)));
  for (size_t i = 0; i < slots.size(); ++i) {
    ASSERT_LE(std::abs(slots[i] - a_[i]), 0x1p-30);
  }
  EXPECT_FALSE(encoder_.encode(a_, kScale, 0, 0.5));
  EXPECT_FALSE(encoder_.encode(Vector{{NAN, 0}}, kScale));
  EXPECT_FALSE(encoder_.encode(Vector{{0.5, 0}}, 0x1p1000));
}

TEST_P(Ckks, EncodesForAnyScale) {
  // Products have the scale squared, and are added to.
  const Context& context = f_.context;
  for (const double scale : {0x1p61, 0x1p62, 0x1p80, 0x1p100}) {
    const Plaintext plaintext = value(encoder_.encode(a_, scale));
    const Vector slots = value(encoder_.decode(plaintext));
    for (size_t i = 0; i < slots.size(); ++i) {
      ASSERT_LE(std::abs(slots[i] - a_[i]), 0x1p-46) << scale;
    }
  }
  const Ciphertext product = value(multiply(context, encrypted(a_), encrypted(b_)));
  const Plaintext added = value(encoder_.encode(b_, product.metadata.scale));
  expect(value(add_plain(context, product, added)),
         [&](size_t i) { return a_[i] * b_[i] + b_[i]; });
}

TEST_P(Ckks, Arithmetic) {
  const Context& context = f_.context;
  const Ciphertext a = encrypted(a_);
  const Ciphertext b = encrypted(b_);
  expect(a, [&](size_t i) { return a_[i]; });
  expect(value(encrypt(context, f_.secret, encoded(a_), f_.random)),
         [&](size_t i) { return a_[i]; });
  expect(value(add(context, a, b)), [&](size_t i) { return a_[i] + b_[i]; });
  expect(value(subtract(context, a, b)), [&](size_t i) { return a_[i] - b_[i]; });
  expect(value(negate(context, a)), [&](size_t i) { return -a_[i]; });
  expect(value(add_plain(context, a, encoded(b_))), [&](size_t i) { return a_[i] + b_[i]; });
  const PlainFactor factor = value(prepare_factor(context, encoded(b_)));
  expect(value(multiply_plain(context, a, factor)), [&](size_t i) { return a_[i] * b_[i]; });
  expect(value(multiply(context, a, b)), [&](size_t i) { return a_[i] * b_[i]; });
  EXPECT_FALSE(add(context, a, value(multiply(context, a, b))));  // the scales differ
}

TEST_P(Ckks, RotateAndConjugate) {
  f_.make_rotation_keys({1, -2});
  const Context& context = f_.context;
  const Ciphertext a = encrypted(a_);
  const size_t half = a_.size();
  expect(value(rotate(context, a, 1, f_.rotation_keys)),
         [&](size_t i) { return a_[(i + 1) % half]; });
  expect(value(rotate(context, value(hoist(context, a)), -2, f_.rotation_keys)),
         [&](size_t i) { return a_[(i + half - 2) % half]; });
  expect(value(swap_rows(context, a, f_.rotation_keys)),
         [&](size_t i) { return std::conj(a_[i]); });
}

TEST_P(Ckks, MultiplyAndRescaleThroughAllLevels) {
  const Context& context = f_.context;
  Ciphertext power = encrypted(a_);
  Vector expected = a_;
  while (power.n_primes() > 1) {
    power =
        value(relinearise(context, value(multiply(context, power, power)), f_.relinearisation_key));
    power = value(drop_prime(context, std::move(power)));
    for (Complex& x : expected) {
      x *= x;
    }
    expect(power, [&](size_t i) { return expected[i]; });
    // Truncating changes nothing but the level, and levels meet.
    const Ciphertext fresh = value(truncate_to(context, encrypted(b_), power.n_primes()));
    expect(fresh, [&](size_t i) { return b_[i]; });
  }
}

TEST_P(Ckks, PublishedResultsCarryFreshNoise) {
  const Context& context = f_.context;
  // What is published needs a larger scale than what the key's holder sees.
  constexpr double kLargeScale = 0x1p85;
  const Ciphertext a =
      value(encrypt(context, f_.public_key, value(encoder_.encode(a_, kLargeScale)), f_.random));
  const auto decoded = [&](const CkksAudience& audience) {
    return value(encoder_.decode(value(decrypt(context, f_.secret, a, f_.random, audience))));
  };
  const Vector exact = decoded({.kind = CkksAudience::Kind::KeyHolder});
  const Vector first = decoded({});
  const Vector second = decoded({});
  EXPECT_EQ(exact, decoded({.kind = CkksAudience::Kind::KeyHolder}));
  // The deviation of what was added is at least the paper's, sqrt(12 N) 2^32 times ten deviations
  // of the noise, and not far above.
  double sum = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    sum += std::norm(first[i] - exact[i]);
  }
  const auto n = static_cast<double>(context.n());
  const double deviation =
      std::sqrt(sum / static_cast<double>(exact.size())) * kLargeScale / std::sqrt(n);
  const double wanted = std::sqrt(12 * n) * 0x1p32 * 10 * std::exp2(a.metadata.noise);
  EXPECT_GE(deviation, 0.9 * wanted);
  EXPECT_LE(deviation, 2.2 * wanted);
  EXPECT_NEAR(hiding_bits(context, {.n_results = 1024}), hiding_bits(context, {}) + 5, 1e-9);
  EXPECT_NE(first, second);
  // What would drown the message is not decrypted for everyone.
  const auto refusal = [&](const Ciphertext& ciphertext, const CkksAudience& audience) {
    const auto result = decrypt(context, f_.secret, ciphertext, f_.random, audience);
    return result ? "" : result.error().message;
  };
  EXPECT_NE(refusal(encrypted(a_), {}).find("a larger scale"), std::string::npos);
  EXPECT_EQ(refusal(encrypted(a_), {.statistical_bits = 10}), "");
  EXPECT_NE(refusal(a, {.statistical_bits = 400}).find("exceeds the limit by"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, Ckks, testing::ValuesIn(cases({Scheme::Ckks})),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace tacet::he
