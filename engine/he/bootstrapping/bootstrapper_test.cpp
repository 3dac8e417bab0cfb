// Bootstrapping gives back the numbers that went in, with no larger error than it states, and its
// parts are what they stand for.

#include "engine/he/bootstrapping/bootstrapper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include "base/value.h"
#include "engine/he/bootstrapping/sine.h"
#include "engine/he/encoding.h"
#include "engine/he/encryption.h"
#include "engine/he/noise.h"
#include "engine/he/sampling.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::he::bootstrapping_tests {
namespace {

using Complex = std::complex<double>;
using Numbers = std::vector<double>;

auto reversed_bits(size_t number, size_t n) -> size_t {
  size_t result = 0;
  for (size_t bit = 1; bit < n; bit *= 2) {
    result = 2 * result + (number & bit ? 1 : 0);
  }
  return result;
}

TEST(SlotTransforms, GiveTheValuesOfAPolynomial) {
  constexpr size_t kSlots = 16;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Complex> numbers(kSlots);
  for (Complex& number : numbers) {
    number = {uniform(random), uniform(random)};
  }
  for (size_t n_factors = 1; n_factors <= 4; ++n_factors) {
    std::vector<Complex> slots = numbers;
    for (const DiagonalMatrix& factor : slots_of_coefficients(kSlots, n_factors)) {
      slots = times(factor, slots);
    }
    size_t power = 1;  // of 5
    for (size_t i = 0; i < kSlots; ++i) {
      Complex expected = 0;
      for (size_t k = 0; k < kSlots; ++k) {
        const Complex w = numbers[reversed_bits(k, kSlots)];
        const double angle = std::numbers::pi / (2 * kSlots) * static_cast<double>(power * k);
        const double other = angle + std::numbers::pi / 2 * static_cast<double>(power);
        expected += w.real() * std::polar(1.0, angle) + w.imag() * std::polar(1.0, other);
      }
      EXPECT_LT(std::abs(slots[i] - expected), 1e-10) << n_factors << " factors, slot " << i;
      power = power * 5 % (4 * kSlots);
    }
    for (const DiagonalMatrix& factor : coefficients_of_slots(kSlots, n_factors)) {
      slots = times(factor, slots);
    }
    for (size_t i = 0; i < kSlots; ++i) {
      EXPECT_LT(std::abs(slots[i] - numbers[i]), 1e-12);
    }
  }
}

TEST(Sine, PolynomialIsNearTheCosine) {
  const std::vector<double> coefficients = cosine_coefficients();
  double most = 0;
  for (int i = -100'000; i <= 100'000; ++i) {
    const double u = i / 1e5;
    double before = 1;
    double now = u;
    double sum = coefficients[0] + coefficients[1] * u;
    for (size_t k = 2; k < coefficients.size(); ++k) {
      before = std::exchange(now, 2 * u * now - before);
      sum += coefficients[k] * now;
    }
    const double angle = (2 * std::numbers::pi * kSineRange * u - std::numbers::pi / 2) / 16;
    most = std::max(most, std::abs(sum - std::cos(angle)));
  }
  EXPECT_LT(most, 0x1p-44);
}

TEST(SparseSecrets, HaveTheirWeight) {
  ParameterRequest request;
  request.scheme = Scheme::Ckks;
  request.ring_dimension = 64;
  request.data_prime_bits = {30};
  const ContextRef context = Context::make(value(insecure_test_parameters(request)));
  SecureRandom random = secure_random::seeded_random(secure_random::TestSeed::of(3), best_isa());
  for (const size_t weight : {1U, 7U, 32U}) {
    const SmallPolynomial sparse = SmallPolynomial::sparse(*context, weight, random);
    Rows row = context->rows(1);
    sparse.residues(*context, 0, row.row(0));
    size_t n_ones = 0;
    for (size_t i = 0; i < context->n(); ++i) {
      const int64_t coefficient = ring::centred(row.row(0)[i], context->modulus(0));
      ASSERT_LE(std::abs(coefficient), 1);
      n_ones += coefficient != 0 ? 1 : 0;
    }
    EXPECT_EQ(n_ones, weight);
  }
}

struct Case {
  size_t n = 1024;
  BootstrappingShape shape;
  unsigned scale_bits = 40;
  size_t n_program_primes = 3;
  size_t n_special = 4;
  unsigned special_bits = 50;
};

/// Bits of the data primes: for a message, the transform to coefficients and the program, and
/// bootstrapping.
auto bootstrapping_request(const Case& c) -> ParameterRequest {
  ParameterRequest request;
  request.scheme = Scheme::Ckks;
  request.ring_dimension = c.n;
  request.data_prime_bits = {50};
  request.data_prime_bits.insert(request.data_prime_bits.end(),
                                 c.shape.n_to_coefficients + c.n_program_primes, c.scale_bits);
  request.data_prime_bits.insert(request.data_prime_bits.end(), c.shape.n_own_primes(), 50);
  request.special_prime_bits.assign(c.n_special, c.special_bits);
  return request;
}

class Fixture {
 public:
  explicit Fixture(const Case& c, std::vector<double> bounds)
      : context_ref(Context::make(value(insecure_test_parameters(bootstrapping_request(c))),
                                  {.isa = best_isa(), .n_threads = 2})),
        context(*context_ref),
        scale(std::exp2(c.scale_bits)),
        secret(generate_secret_key(context, random)),
        bootstrapper(value(Bootstrapper::make(
            context, {.shape = c.shape,
                      .n_result_primes = c.shape.n_operand_primes() + c.n_program_primes,
                      .operand_scale = scale,
                      .result_scale = scale,
                      .bounds = std::move(bounds)}))),
        keys(value(generate_bootstrapping_keys(context, secret, random))),
        relinearisation(value(generate_relinearisation_key(
            context, secret, random, bootstrapping_relinearisation_primes(context, c.shape)))),
        rotations(value(generate_requested_keys(
            context, secret, bootstrapping_rotations(context, c.shape), random))) {}

  auto encrypted(const Numbers& numbers, size_t n_primes, double bound) -> Ciphertext {
    const Plaintext plaintext =
        value(ComplexEncoder(context).encode(numbers, scale, n_primes, bound));
    return value(encrypt(context, secret, plaintext, random, n_primes));
  }

  auto decrypted(const Ciphertext& ciphertext) -> Numbers {
    Numbers result;
    for (const Complex& slot : value(ComplexEncoder(context).decode(value(decrypt(
             context, secret, ciphertext, random, {.kind = CkksAudience::Kind::KeyHolder}))))) {
      result.push_back(slot.real());
    }
    return result;
  }

  SecureRandom random = secure_random::seeded_random(secure_random::TestSeed::of(7), best_isa());
  ContextRef context_ref;
  const Context& context;
  double scale;
  SecretKey secret;
  Bootstrapper bootstrapper;
  BootstrappingKeys keys;
  RelinearisationKey relinearisation;
  RotationKeys rotations;
};

auto largest_difference(const Numbers& a, const Numbers& b) -> double {
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
  }
  return most;
}

TEST(Bootstrapping, GivesBackNumbers) {
  for (const Case& c :
       {Case{},
        Case{.n = 256, .shape = {.n_to_coefficients = 2, .n_to_slots = 3}, .scale_bits = 45},
        Case{.n = 2048, .shape = {3, 3}, .n_special = 7},
        Case{.shape = {}, .n_special = 2, .special_bits = 44}}) {
    const std::vector<double> bounds = {1, 0.25, 100};
    Fixture fixture(c, bounds);
    std::mt19937_64 random(c.n);
    for (const double bound : bounds) {
      std::uniform_real_distribution<double> uniform(-bound, bound);
      Numbers numbers(c.n / 2);
      for (size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = i == 0 ? bound : i == 1 ? -bound : i == 2 ? 0 : uniform(random);
      }
      for (const size_t n_primes : {c.shape.n_operand_primes(), c.shape.n_operand_primes() + 2}) {
        const Ciphertext result = value(fixture.bootstrapper.bootstrap(
            fixture.encrypted(numbers, n_primes, bound), bound, fixture.keys,
            fixture.relinearisation, fixture.rotations));
        EXPECT_EQ(result.n_primes(), c.shape.n_operand_primes() + c.n_program_primes);
        const double difference = largest_difference(fixture.decrypted(result), numbers);
        const double stated = estimated_error(fixture.context, result);
        EXPECT_LE(difference, stated) << std::log2(stated);
        if (c.special_bits == 50) {
          EXPECT_LT(difference, bound * 0x1p-14);
        }
      }
    }
  }
}

TEST(Bootstrapping, KeysOfOtherParametersAreRefused) {
  const Case c{.n = 256, .shape = {.n_to_coefficients = 2, .n_to_slots = 2}};
  Fixture fixture(c, {1});
  Fixture other(Case{.n = 512, .shape = c.shape}, {1});
  const Ciphertext a = fixture.encrypted({0.5}, c.shape.n_operand_primes(), 1);
  const auto result = [&](const BootstrappingKeys& keys, const RelinearisationKey& relinearisation,
                          const RotationKeys& rotations) {
    return fixture.bootstrapper.bootstrap(a, 1, keys, relinearisation, rotations);
  };
  EXPECT_TRUE(result(fixture.keys, fixture.relinearisation, fixture.rotations));
  EXPECT_FALSE(result(other.keys, fixture.relinearisation, fixture.rotations));
  EXPECT_FALSE(result(fixture.keys, other.relinearisation, fixture.rotations));
  EXPECT_FALSE(result(fixture.keys, fixture.relinearisation, other.rotations));
  EXPECT_FALSE(fixture.bootstrapper.bootstrap(a, 1e9, fixture.keys, fixture.relinearisation,
                                              fixture.rotations));
  EXPECT_FALSE(fixture.bootstrapper.bootstrap(value(truncate_to(fixture.context, a, 1)), 1,
                                              fixture.keys, fixture.relinearisation,
                                              fixture.rotations));
}

}  // namespace
}  // namespace tacet::he::bootstrapping_tests
