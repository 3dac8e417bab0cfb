#include "engine/he_model/noise_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace tacet::he {
namespace {

/// Standard deviations that no coefficient of any polynomial is expected to exceed: a normal number
/// does with probability 2^-75.
constexpr double kDeviations = 10;

constexpr double kTernaryVariance = 2.0 / 3;
/// Of a number rounded off, uniform in [-1/2, 1/2].
constexpr double kRoundingVariance = 1.0 / 12;

}  // namespace

auto add_logarithms(double a, double b) -> double {
  const double high = std::max(a, b);
  return high + std::log2(1 + std::exp2(std::min(a, b) - high));
}

NoiseModel::NoiseModel(Scheme scheme, size_t ring_dimension, double plain_modulus,
                       std::vector<double> data_bits, std::vector<double> special_bits)
    : scheme_(scheme),
      n_(static_cast<double>(ring_dimension)),
      log_t_(scheme == Scheme::Ckks ? 0 : std::log2(plain_modulus)),
      data_bits_(std::move(data_bits)),
      special_bits_(std::move(special_bits)) {}

auto NoiseModel::modulus_bits(size_t n_primes) const -> double {
  return std::accumulate(data_bits_.begin(),
                         data_bits_.begin() + static_cast<std::ptrdiff_t>(n_primes), 0.0);
}

/// Of rounding the parts of a ciphertext of this degree: r_0 + r_1 s + r_2 s^2.
auto NoiseModel::rounding_deviation(size_t degree) const -> double {
  double variance = kRoundingVariance;
  double secret = 1;  // of s^i
  for (size_t i = 1; i <= degree; ++i) {
    secret *= n_ * kTernaryVariance;
    variance += kRoundingVariance * secret;
  }
  return std::sqrt(variance);
}

auto NoiseModel::fresh_public() const -> double {
  // u e + e_0 + s e_1, and a rounding for BFV.
  const double terms = 1 + 2 * n_ * kTernaryVariance;
  return std::log2(terms * kErrorVariance + 1) / 2;
}

auto NoiseModel::fresh_symmetric() const -> double {
  return std::log2(kErrorVariance + 1) / 2;
}

/// ln n! by Stirling's series. Not `std::lgamma`: it writes a variable that all threads share.
static auto log_factorial(double n) -> double {
  double rest = 0;
  for (; n < 8; ++n) {
    rest += std::log(n + 1);
  }
  return n * std::log(n) - n + std::log(2 * std::numbers::pi * n) / 2 + 1 / (12 * n) -
         1 / (360 * n * n * n) - rest;
}

/// log2 of binomial(p + q, p)
static auto log_choose(double p, double q) -> double {
  return (log_factorial(p + q) - log_factorial(p) - log_factorial(q)) / std::numbers::ln2;
}

auto NoiseModel::product(const NoiseState& a, const NoiseState& b) const -> NoiseGrowth {
  const double root_n = std::log2(n_) / 2;
  const double squared = a.noise + b.noise + root_n;
  const double n_most = std::max(a.n_factors, b.n_factors);
  switch (scheme_) {
    case Scheme::Bfv: {
      // m_1 e_2 + m_2 e_1 + t (k_1 e_2 + k_2 e_1) + rounding, with k = (parts[0] + parts[1] s) / Q.
      const double factor = log_t_ + std::log2(0.5 + rounding_deviation(1));
      const double linear = root_n + factor + add_logarithms(a.noise, b.noise);
      const double dependence = 0.5 + log_choose(n_most, 1) / 2;
      return {.noise = add_logarithms(linear + dependence, std::log2(rounding_deviation(2)) + 1),
              .n_factors = n_most + 1};
    }
    case Scheme::Bgv: {
      // (m_1 + t e_1)(m_2 + t e_2) = m_1 m_2 + t (m_1 e_2 + m_2 e_1 + t e_1 e_2), and m_1 m_2 is
      // more than its residue by a multiple of t.
      const double linear = 1 + root_n + log_t_ - 1 + add_logarithms(a.noise, b.noise);
      const double carry = 1 + root_n + log_t_ - 2;
      const double both = log_t_ + squared + log_choose(a.n_factors, b.n_factors);
      return {.noise = add_logarithms(add_logarithms(linear, both), carry),
              .n_factors = both > linear ? a.n_factors + b.n_factors : n_most + 1};
    }
    case Scheme::Ckks: {
      // The squares of a message's coefficients sum to the mean of those of its N values, so times
      // an error it multiplies the deviation by no more than its largest value.
      const double left = std::log2(std::max(a.magnitude * a.scale, 1.0)) + b.noise;
      const double right = std::log2(std::max(b.magnitude * b.scale, 1.0)) + a.noise;
      const double both = squared + log_choose(a.n_factors, b.n_factors);
      return {.noise = 1 + add_logarithms(add_logarithms(left, right), both), .n_factors = n_most};
    }
  }
  return {};
}

auto NoiseModel::plain_product(double noise, double bound) const -> double {
  // The product of messages is more than its residue by a multiple of t.
  const double factor = std::log2(n_) / 2 + std::log2(std::max(bound, 1.0));
  return factor + add_logarithms(noise, 0);
}

auto NoiseModel::key_switch(size_t n_primes) const -> double {
  // Digits up to half the product of their primes, against the special primes' product.
  double digit = 0;
  size_t n_digits = 0;
  const size_t size = special_bits_.size();
  for (size_t start = 0; start < n_primes; start += size, ++n_digits) {
    const size_t end = std::min(start + size, n_primes);
    digit = std::max(digit, modulus_bits(end) - modulus_bits(start));
  }
  const double special = std::accumulate(special_bits_.begin(), special_bits_.end(), 0.0);
  const double variance = static_cast<double>(n_digits) * n_ * kErrorVariance * kRoundingVariance;
  return add_logarithms(std::log2(variance) / 2 + digit - special,
                        std::log2(rounding_deviation(1)));
}

auto NoiseModel::dropped(const NoiseState& a, size_t degree) const -> NoiseGrowth {
  const double left = a.noise - data_bits_[a.n_primes - 1];
  const double rounding = std::log2(rounding_deviation(degree));
  // What is left of the old noise counts no more once rounding is several times as large.
  return {.noise = add_logarithms(left, rounding),
          .n_factors = left < rounding - 3 ? 1 : a.n_factors};
}

auto NoiseModel::budget(const NoiseState& a) const -> double {
  const double modulus = modulus_bits(a.n_primes);
  const double noise = a.noise + std::log2(kDeviations);
  if (scheme_ == Scheme::Ckks) {
    const double message = std::log2(std::max(a.magnitude * a.scale, 1.0));
    return modulus - 1 - add_logarithms(message, noise);
  }
  return modulus - 1 - log_t_ - noise;
}

auto NoiseModel::error(const NoiseState& a) const -> double {
  // A value is a sum of N coefficients times numbers of size 1.
  return std::exp2(a.noise + std::log2(n_) / 2) * kDeviations / a.scale;
}

}  // namespace tacet::he
