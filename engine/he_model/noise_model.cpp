#include "engine/he_model/noise_model.h"

#include <algorithm>
#include <array>
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

/// log2(1 + 2^-x) between its values at multiples of 1/16, by cubics with its slopes: less than
/// 2e-9 off, which no estimate of noise is worth, at a fraction of the time.
class LogarithmOfSum {
 public:
  /// Behind this, the smaller of two changes no bit of a sum.
  static constexpr int kFar = 54;

  LogarithmOfSum() {
    for (size_t i = 0; i < points_.size(); ++i) {
      const double power = std::exp2(-static_cast<double>(i) / kSteps);
      points_[i] = {.value = std::log2(1 + power), .slope = -power / (1 + power) / kSteps};
    }
  }

  /// Of 0 <= x < kFar.
  [[nodiscard]] auto at(double x) const -> double {
    const auto i = static_cast<size_t>(x * kSteps);
    const double along = x * kSteps - static_cast<double>(i);
    const double left = 1 - along;
    const Point& a = points_[i];
    const Point& b = points_[i + 1];
    return left * left * ((1 + 2 * along) * a.value + along * a.slope) +
           along * along * ((1 + 2 * left) * b.value - left * b.slope);
  }

 private:
  static constexpr int kSteps = 16;
  struct Point {
    double value;
    double slope;  ///< from one to the next
  };
  std::array<Point, kFar * kSteps + 2> points_{};
};

}  // namespace

auto add_logarithms(double a, double b) -> double {
  static const LogarithmOfSum logarithm;
  const double high = std::max(a, b);
  const double difference = high - std::min(a, b);
  return difference < LogarithmOfSum::kFar ? high + logarithm.at(difference) : high;
}

NoiseModel::NoiseModel(Scheme scheme, size_t ring_dimension, double plain_modulus,
                       std::vector<double> data_bits, std::vector<double> special_bits,
                       unsigned n_key_holders)
    : scheme_(scheme),
      n_(static_cast<double>(ring_dimension)),
      n_key_holders_(n_key_holders),
      log_root_n_(std::log2(n_) / 2),
      log_t_(scheme == Scheme::Ckks ? 0 : std::log2(plain_modulus)),
      data_bits_(std::move(data_bits)),
      special_bits_(std::move(special_bits)),
      modulus_bits_(data_bits_.size() + 1),
      log_carry_(std::log2(0.5 + rounding_deviation(1))) {
  std::partial_sum(data_bits_.begin(), data_bits_.end(), modulus_bits_.begin() + 1);
  for (size_t degree = 0; degree < rounding_.size(); ++degree) {
    const double tail = scheme == Scheme::Ckks ? tail_factor(degree) : 1;
    rounding_[degree] = std::log2(rounding_deviation(degree) * tail);
  }
}

auto tail_factor(size_t degree) -> double {
  constexpr std::array<double, 3> kFactors = {1, 1.9, 9.1};
  return kFactors.at(degree);
}

auto NoiseModel::modulus_bits(size_t n_primes) const -> double {
  return modulus_bits_[n_primes];
}

/// Of rounding the parts of a ciphertext of this degree: r_0 + r_1 s + r_2 s^2.
auto NoiseModel::rounding_deviation(size_t degree) const -> double {
  double variance = kRoundingVariance;
  double secret = 1;  // of s^i
  for (size_t i = 1; i <= degree; ++i) {
    secret *= n_ * n_key_holders_ * kTernaryVariance;
    variance += kRoundingVariance * secret;
  }
  return std::sqrt(variance);
}

auto NoiseModel::fresh_public() const -> double {
  // u e + e_0 + s e_1, and a rounding for BFV; s and e have a part of each key holder.
  const double terms = 1 + 2 * n_ * n_key_holders_ * kTernaryVariance;
  return std::log2(terms * kErrorVariance + 1) / 2;
}

auto NoiseModel::fresh_symmetric() const -> double {
  // Of several key holders, each encrypts its share.
  return std::log2(n_key_holders_ * kErrorVariance + n_key_holders_ * n_key_holders_) / 2;
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
  // Numbers of factors are whole, and small but in deep programs.
  constexpr size_t kKnown = 32;
  static const std::array<double, 2 * kKnown> factorials = [] {
    std::array<double, 2 * kKnown> logarithms{};
    for (size_t n = 0; n < logarithms.size(); ++n) {
      logarithms[n] = log_factorial(static_cast<double>(n));
    }
    return logarithms;
  }();
  const auto is_known = [](double n) { return n >= 0 && n < kKnown && std::floor(n) == n; };
  if (is_known(p) && is_known(q)) {
    const auto i = static_cast<size_t>(p);
    const auto k = static_cast<size_t>(q);
    return (factorials[i + k] - factorials[i] - factorials[k]) / std::numbers::ln2;
  }
  return (log_factorial(p + q) - log_factorial(p) - log_factorial(q)) / std::numbers::ln2;
}

auto NoiseModel::product(const NoiseState& a, const NoiseState& b) const -> NoiseGrowth {
  const double squared = a.noise + b.noise + log_root_n_;
  const double n_most = std::max(a.n_factors, b.n_factors);
  switch (scheme_) {
    case Scheme::Bfv: {
      // m_1 e_2 + m_2 e_1 + t (k_1 e_2 + k_2 e_1) + rounding, with k = (parts[0] + parts[1] s) / Q.
      const double linear = log_root_n_ + log_t_ + log_carry_ + add_logarithms(a.noise, b.noise);
      const double dependence = 0.5 + log_choose(n_most, 1) / 2;
      return {.noise = add_logarithms(linear + dependence, rounding_[2] + 1),
              .n_factors = n_most + 1};
    }
    case Scheme::Bgv: {
      // (m_1 + t e_1)(m_2 + t e_2) = m_1 m_2 + t (m_1 e_2 + m_2 e_1 + t e_1 e_2), and m_1 m_2 is
      // more than its residue by a multiple of t.
      const double linear = 1 + log_root_n_ + log_t_ - 1 + add_logarithms(a.noise, b.noise);
      const double carry = 1 + log_root_n_ + log_t_ - 2;
      const double both = log_t_ + squared + log_choose(a.n_factors, b.n_factors);
      return {.noise = add_logarithms(add_logarithms(linear, both), carry),
              .n_factors = both > linear ? a.n_factors + b.n_factors : n_most + 1};
    }
    case Scheme::Ckks: {
      // Slot by slot: m_1 e_2 + m_2 e_1 + e_1 e_2, where no slot of an error is more than
      // kDeviations √N deviations.
      const double left = std::log2(std::max(a.magnitude * a.scale, 1.0)) + b.noise;
      const double right = std::log2(std::max(b.magnitude * b.scale, 1.0)) + a.noise;
      const double both = squared + std::log2(kDeviations);
      return {.noise = add_logarithms(add_logarithms(left, right), both), .n_factors = n_most};
    }
  }
  return {};
}

auto NoiseModel::plain_product(double noise, double bound) const -> double {
  // The product of messages is more than its residue by a multiple of t.
  const double factor = log_root_n_ + std::log2(std::max(bound, 1.0));
  return factor + add_logarithms(noise, 0);
}

/// Of a key for switching. One from the square of a joint secret has the error
/// s e_0 + u e_1 + e_2, all of them sums over the key holders (`engine/he_joint`).
auto NoiseModel::key_error_variance(KeyOrigin origin) const -> double {
  if (n_key_holders_ == 1) {
    return kErrorVariance;
  }
  const double error = n_key_holders_ * kErrorVariance;
  if (origin == KeyOrigin::Image) {
    return error;
  }
  const double variance = error * (2 * n_ * n_key_holders_ * kTernaryVariance + 1);
  // In a slot it is a product with the secret there, as that of a rounding with s^2 is.
  const double tail = scheme_ == Scheme::Ckks ? tail_factor(2) : 1;
  return variance * tail * tail;
}

auto NoiseModel::key_switch(size_t n_primes, KeyOrigin origin) const -> double {
  // Digits up to half the product of their primes, against the special primes' product.
  double digit = 0;
  size_t n_digits = 0;
  const size_t size = special_bits_.size();
  for (size_t start = 0; start < n_primes; start += size, ++n_digits) {
    const size_t end = std::min(start + size, n_primes);
    digit = std::max(digit, modulus_bits(end) - modulus_bits(start));
  }
  const double special = std::accumulate(special_bits_.begin(), special_bits_.end(), 0.0);
  const double variance =
      static_cast<double>(n_digits) * n_ * key_error_variance(origin) * kRoundingVariance;
  return add_logarithms(std::log2(variance) / 2 + digit - special, rounding_[1]);
}

auto NoiseModel::dropped(const NoiseState& a, size_t degree) const -> NoiseGrowth {
  const double left = a.noise - data_bits_[a.n_primes - 1];
  const double rounding = rounding_[degree];
  // What is left of the old noise counts no more once rounding is several times as large.
  return {.noise = add_logarithms(left, rounding),
          .n_factors = left < rounding - 3 ? 1 : a.n_factors};
}

auto NoiseModel::budget(const NoiseState& a) const -> double {
  const double modulus = modulus_bits(a.n_primes);
  static const double log_deviations = std::log2(kDeviations);
  const double noise = a.noise + log_deviations;
  if (scheme_ == Scheme::Ckks) {
    const double message = std::log2(std::max(a.magnitude * a.scale, 1.0));
    return modulus - 1 - add_logarithms(message, noise);
  }
  return modulus - 1 - log_t_ - noise;
}

auto NoiseModel::error(const NoiseState& a) const -> double {
  // A value is a sum of N coefficients times numbers of size 1.
  return std::exp2(a.noise + log_root_n_) * kDeviations / a.scale;
}

auto NoiseModel::noise_of(double error, double scale) const -> double {
  return std::log2(error * scale / kDeviations) - log_root_n_;
}

}  // namespace tacet::he
