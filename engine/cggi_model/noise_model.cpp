#include "engine/cggi_model/noise_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tacet::cggi {
namespace {

constexpr double kMantissaBits = 53;

/// The mean square of a signed digit.
auto digit_square(const Decomposition& d) -> double {
  return std::exp2(2.0 * d.log2_base) / 12 + 1.0 / 6;
}

/// 24 times the variance of half of what a decomposition drops.
auto dropped(const Decomposition& d) -> double {
  return std::exp2(-2.0 * d.log2_base * d.n_levels);
}

}  // namespace

/// A formula fitted to measurements, which TFHE-rs publishes.
auto transform_variance(const Parameters& p) -> double {
  const double lost_bits = kLog2Modulus - kMantissaBits;
  const double k = p.glwe_dimension;
  return 0.00705 * std::exp2(2 * lost_bits + 2.0 * p.rotation.log2_base - 2.0 * kLog2Modulus) *
         std::pow(p.rotation.n_levels, 1.01827) * std::pow(k, 1.22003) *
         std::pow(p.polynomial_size, 2.22003) * std::pow(k + 1, 1.01827);
}

auto rotation_variance(const Parameters& p) -> double {
  const double k = p.glwe_dimension;
  const double n = p.polynomial_size;
  const double unit = std::exp2(-2.0 * kLog2Modulus);
  const double rest = dropped(p.rotation);
  const double per_bit =
      transform_variance(p) +
      p.rotation.n_levels * n * (k + 1) * p.glwe_variance * digit_square(p.rotation) - unit / 24 +
      k * n / 2 * (unit / 48 + rest / 24) + rest / 24;
  return p.lwe_dimension * per_bit;
}

auto key_switch_variance(const Parameters& p, unsigned log2_switched) -> double {
  const double dimension = p.extracted_dimension();
  const double unit = std::exp2(-2.0 * kLog2Modulus);
  return p.key_switch.n_levels * dimension * p.lwe_variance * digit_square(p.key_switch) +
         dimension * (unit / 48 + dropped(p.key_switch) / 24) +
         (std::exp2(-2.0 * log2_switched) - unit) / 12;
}

auto modulus_switch_variance(const Parameters& p, unsigned log2_tables, ModulusSwitch kind)
    -> double {
  const double unit = std::exp2(log2_tables) / (2.0 * p.polynomial_size);
  switch (kind) {
    case ModulusSwitch::Plain:
      return p.lwe_dimension * unit * unit / 24 + unit * unit / 12;
    case ModulusSwitch::Centred:
      return p.lwe_dimension * unit * unit / 48;
  }
  return 0;
}

auto noise_variances(const Parameters& p) -> NoiseVariances {
  return {.rotation = rotation_variance(p),
          .key_switch = key_switch_variance(p),
          .modulus_switch = modulus_switch_variance(p)};
}

auto log2_erfc(double x) -> double {
  if (x < 5) {
    return std::log2(std::erfc(x));
  }
  const double square = x * x;
  return (-square - std::log(x * std::sqrt(std::numbers::pi))) * std::numbers::log2e +
         std::log2(1 - 1 / (2 * square) + 3 / (4 * square * square));
}

auto log2_exceeds(double variance, double bound) -> double {
  return log2_erfc(bound / std::sqrt(2 * variance));
}

auto log2_failure(const NoiseVariances& variances, const Decision& decision) -> double {
  const double variance = decision.squared_weights * variances.rotation + variances.key_switch +
                          variances.modulus_switch * std::exp2(2.0 * decision.log2_tables);
  return log2_exceeds(variance, decision.bound);
}

auto log2_failure(const Parameters& p, const Decision& decision) -> double {
  return log2_failure(noise_variances(p), decision);
}

auto log2_failure(const NoiseVariances& variances, std::span<const DecisionCount> decisions)
    -> double {
  double sum = -std::numeric_limits<double>::infinity();
  for (const DecisionCount& kind : decisions) {
    const double term = log2_failure(variances, kind.decision) + std::log2(kind.count);
    const double larger = std::max(sum, term);
    const double smaller = std::min(sum, term);
    sum = std::isinf(smaller) ? larger : larger + std::log2(1 + std::exp2(smaller - larger));
  }
  return sum;
}

auto log2_failure(const Parameters& p, std::span<const DecisionCount> decisions) -> double {
  return log2_failure(noise_variances(p), decisions);
}

}  // namespace tacet::cggi
