#include "engine/he/noise.h"

#include <algorithm>
#include <cmath>

#include "engine/secure_random/samplers.h"

namespace tacet::he {
namespace {

/// Standard deviations that no coefficient of any polynomial is expected to exceed: a normal number
/// does with probability 2^-75.
constexpr double kDeviations = 10;

constexpr double kTernaryVariance = 2.0 / 3;
/// Of a number rounded off, uniform in [-1/2, 1/2].
constexpr double kRoundingVariance = 1.0 / 12;

auto n_of(const Context& context) -> double {
  return static_cast<double>(context.n());
}

/// Of rounding the parts of a ciphertext of this degree: r_0 + r_1 s + r_2 s^2.
auto rounding_deviation(const Context& context, size_t degree) -> double {
  double variance = kRoundingVariance;
  double secret = 1;  // of s^i
  for (size_t i = 1; i <= degree; ++i) {
    secret *= n_of(context) * kTernaryVariance;
    variance += kRoundingVariance * secret;
  }
  return std::sqrt(variance);
}

auto log2_of_square_root_n(const Context& context) -> double {
  return std::log2(n_of(context)) / 2;
}

}  // namespace

auto add_logarithms(double a, double b) -> double {
  const double high = std::max(a, b);
  return high + std::log2(1 + std::exp2(std::min(a, b) - high));
}

auto fresh_public_noise(const Context& context) -> double {
  // u e + e_0 + s e_1, and a rounding for BFV.
  const double terms = 1 + 2 * n_of(context) * kTernaryVariance;
  return std::log2(terms * secure_random::kBinomialVariance + 1) / 2;
}

auto fresh_symmetric_noise(const Context& /*context*/) -> double {
  return std::log2(secure_random::kBinomialVariance + 1) / 2;
}

auto product_noise(const Context& context, const Ciphertext& a, const Ciphertext& b) -> double {
  const double root_n = log2_of_square_root_n(context);
  const double squared = a.noise + b.noise + root_n;
  switch (context.scheme()) {
    case Scheme::Bfv: {
      // m_1 e_2 + m_2 e_1 + t (k_1 e_2 + k_2 e_1) + rounding, with k = (parts[0] + parts[1] s) / Q.
      const double log_t = std::log2(context.plain_modulus().as_double);
      const double factor = log_t + std::log2(0.5 + rounding_deviation(context, 1));
      const double linear = root_n + factor + add_logarithms(a.noise, b.noise);
      return 1 + add_logarithms(linear, std::log2(rounding_deviation(context, 2)));
    }
    case Scheme::Bgv: {
      // (m_1 + t e_1)(m_2 + t e_2) = m_1 m_2 + t (m_1 e_2 + m_2 e_1 + t e_1 e_2), and m_1 m_2 is
      // more than its residue by a multiple of t.
      const double log_t = std::log2(context.plain_modulus().as_double);
      const double linear = root_n + log_t - 1 + add_logarithms(a.noise, b.noise);
      const double carry = root_n + log_t - 2;
      return 1 + add_logarithms(add_logarithms(linear, log_t + squared), carry);
    }
    case Scheme::Ckks: {
      // The squares of a message's coefficients sum to the mean of those of its N values, so times
      // an error it multiplies the deviation by no more than its largest value.
      const double left = std::log2(std::max(a.magnitude * a.scale, 1.0)) + b.noise;
      const double right = std::log2(std::max(b.magnitude * b.scale, 1.0)) + a.noise;
      return 1 + add_logarithms(add_logarithms(left, right), squared);
    }
  }
  return 0;
}

auto plain_product_noise(const Context& context, double noise, double bound) -> double {
  const double root_n = log2_of_square_root_n(context);
  double result = noise + root_n + std::log2(std::max(bound, 1.0));
  if (context.scheme() != Scheme::Ckks) {
    // The product of messages is more than its residue by a multiple of t.
    result = add_logarithms(result, root_n + std::log2(std::max(bound, 1.0)));
  }
  return result;
}

auto key_switch_noise(const Context& context, size_t n_primes) -> double {
  // Digits up to half the product of their primes, against the special primes' product.
  double digit = 0;
  const size_t size = context.digit_size();
  for (size_t start = 0; start < n_primes; start += size) {
    double bits = 0;
    for (size_t i = start; i < std::min(start + size, n_primes); ++i) {
      bits += std::log2(context.modulus(i).as_double);
    }
    digit = std::max(digit, bits);
  }
  double special = 0;
  for (size_t i = 0; i < context.n_special(); ++i) {
    special += std::log2(context.modulus(context.special(i)).as_double);
  }
  const double variance = static_cast<double>(context.n_digits(n_primes)) * n_of(context) *
                          secure_random::kBinomialVariance * kRoundingVariance;
  return add_logarithms(std::log2(variance) / 2 + digit - special,
                        std::log2(rounding_deviation(context, 1)));
}

auto dropped_noise(const Context& context, double noise, size_t n_primes, size_t degree) -> double {
  const double prime = std::log2(context.modulus(n_primes - 1).as_double);
  return add_logarithms(noise - prime, std::log2(rounding_deviation(context, degree)));
}

auto estimated_budget(const Context& context, const Ciphertext& a) -> double {
  const double modulus = context.level(a.n_primes()).modulus_bits;
  const double noise = a.noise + std::log2(kDeviations);
  if (context.scheme() == Scheme::Ckks) {
    const double message = std::log2(std::max(a.magnitude * a.scale, 1.0));
    return modulus - 1 - add_logarithms(message, noise);
  }
  return modulus - 1 - std::log2(context.plain_modulus().as_double) - noise;
}

auto estimated_error(const Context& context, const Ciphertext& a) -> double {
  // A value is a sum of N coefficients times numbers of size 1.
  return std::exp2(a.noise + log2_of_square_root_n(context)) * kDeviations / a.scale;
}

}  // namespace tacet::he
