#include "engine/he_model/bootstrapping.h"

#include <cmath>
#include <numbers>

#include "engine/he_model/noise_model.h"

namespace tacet::he {

auto BootstrappingShape::n_own_primes() const -> size_t {
  return n_to_slots + kCosineLevels + kDoublings;
}

auto bootstrapping_shape(size_t ring_dimension) -> BootstrappingShape {
  return ring_dimension >= kBootstrappedDimension
             ? BootstrappingShape{}
             : BootstrappingShape{.n_to_coefficients = 2, .n_to_slots = 2};
}

auto max_encapsulation_bits(size_t ring_dimension) -> unsigned {
  constexpr size_t kLarge = size_t{1} << 16;  // the rings of their sets
  constexpr size_t kMedium = size_t{1} << 15;
  return ring_dimension >= kLarge ? 121 : ring_dimension >= kMedium ? 96 : 0;
}

/// So that bounds of 1 and a little more, as slack makes them, are not rounded to 2.
static constexpr double kBoundOfStep = 1 + 0x1p-4;

auto step_of_bound(double bound) -> int {
  return static_cast<int>(std::ceil(std::log2(bound / kBoundOfStep)));
}

auto bound_of_step(int step) -> double {
  return std::ldexp(kBoundOfStep, step);
}

namespace {

/// Of a factor of a transform.
struct FactorRotations {
  double n_diagonals = 1;
  double n_babies = 1;
  double n_giants = 1;
};

/// A factor of k stages has 2^(k + 1) - 1 diagonals; that with the longest blocks, which comes
/// first on the way to coefficients and last on the way back, half of them.
auto rotations_of(size_t ring_dimension, size_t n_factors, bool is_longest_first)
    -> std::vector<FactorRotations> {
  const auto n_stages =
      static_cast<size_t>(std::lround(std::log2(static_cast<double>(ring_dimension) / 2)));
  std::vector<FactorRotations> factors;
  for (size_t i = 0; i < n_factors; ++i) {
    const size_t n = n_stages * (i + 1) / n_factors - n_stages * i / n_factors;
    const bool is_longest = i == (is_longest_first ? 0 : n_factors - 1);
    const size_t log_diagonals = n + (is_longest ? 0 : 1);
    factors.push_back({.n_diagonals = std::exp2(log_diagonals),
                       .n_babies = std::exp2((log_diagonals + 1) / 2),
                       .n_giants = std::exp2(log_diagonals / 2)});
  }
  return factors;
}

}  // namespace

auto bootstrapping_rotations(size_t ring_dimension, const BootstrappingShape& shape) -> double {
  double n = 0;
  for (const FactorRotations& factor : rotations_of(ring_dimension, shape.n_to_slots, true)) {
    n += factor.n_babies - 1 + factor.n_giants - 1;
  }
  return n;
}

auto bootstrapping_time(const OperationTimes& times, size_t ring_dimension,
                        const BootstrappingShape& shape, size_t n_data, size_t n_special)
    -> double {
  OperationPlace place{.scheme = Scheme::Ckks,
                       .ring_dimension = ring_dimension,
                       .n_primes = n_data,
                       .n_special = n_special};
  double sum = 0;
  const auto of = [&](Operation operation) { return times.of(operation, place); };
  const auto add_transform = [&](const std::vector<FactorRotations>& factors) {
    for (const FactorRotations& factor : factors) {
      // Half of a rotation that shares its digits is dividing, which is done once here.
      sum += of(Operation::Hoist) + (factor.n_babies - 1) * of(Operation::RotateHoisted) / 2 +
             (factor.n_giants - 1) * of(Operation::Rotate) +
             factor.n_diagonals * of(Operation::MultiplyPlain) + of(Operation::Drop);
      --place.n_primes;
    }
  };
  add_transform(rotations_of(ring_dimension, shape.n_to_slots, true));
  sum += of(Operation::Rotate);
  // Products by level: see `he::sine`.
  for (const double n_products : {1, 2, 4, 2, 1, 1, 1, 1, 1}) {
    sum +=
        n_products * (of(Operation::Multiply) + of(Operation::Relinearise) + of(Operation::Drop));
    --place.n_primes;
  }
  place.n_primes = shape.n_operand_primes();
  add_transform(rotations_of(ring_dimension, shape.n_to_coefficients, false));
  return sum;
}

auto bootstrapping_error(const NoiseModel& model, size_t n_result_primes,
                         const BootstrappingShape& shape, double operand_scale, double bound)
    -> double {
  const double n = model.ring_dimension();
  const std::vector<double>& data_bits = model.data_bits();
  // Of each coefficient, by rounding both parts of a ciphertext, and by switching keys.
  const double rounding = std::exp2(model.rounding(1));
  const size_t n_data = n_result_primes + shape.n_own_primes();
  const double switching = std::exp2(model.key_switch(n_data));
  const double early_switching = std::exp2(model.key_switch(shape.n_operand_primes()));
  const double part = std::exp2(kMessagePart);
  const double log_slots = std::log2(n / 2);
  double variance = 0;
  const auto add = [](double& sum, double deviation) { sum += deviation * deviation; };

  // Of coefficients, against a message of part q: by the first transform, and by the switch to the
  // sparse secret and back. What follows a factor adds up so many slots, whose coefficients are
  // 1 / sqrt(n) of them; what is rotated before a factor is followed by that, too.
  const double own_scale = part * std::exp2(data_bits.front()) / bound;
  const NoiseModel encapsulation(Scheme::Ckks, static_cast<size_t>(n), 0, {data_bits.front()},
                                 {model.special_bits().front()});
  add(variance, rounding / own_scale);
  add(variance, std::exp2(encapsulation.key_switch(1)) / own_scale);
  add(variance, switching / own_scale);
  const auto n_factors = static_cast<double>(shape.n_to_coefficients);
  for (size_t i = 0; i < shape.n_to_coefficients; ++i) {
    const double n_behind = n_factors - 1 - static_cast<double>(i);
    add(variance, std::exp2(log_slots * n_behind / (2 * n_factors)) * rounding / operand_scale);
    add(variance,
        std::exp2(log_slots * (n_behind + 1) / (2 * n_factors)) * early_switching / operand_scale);
  }

  // Of slots, relative to 1, in each of the levels of the sine. An error of the first ones is
  // multiplied by the derivative of the sine, that of the polynomial by what doublings make of it:
  // 2^r cos / sin of an angle of 2^-r pi/2, at the message's end of the interval.
  const double derivative = 2 * std::numbers::pi * kSineRange;
  const double doubled =
      std::exp2(kDoublings) / std::sin(std::numbers::pi / 2 / std::exp2(kDoublings));
  double sine_variance = 0;
  size_t prime = n_data;
  const auto relative = [&](double deviation) {
    return deviation * std::sqrt(n) / std::exp2(data_bits[prime]);
  };
  // Rows of a factor of the second transform have this length.
  const double length = std::exp2(-log_slots / static_cast<double>(2 * shape.n_to_slots));
  for (size_t i = 0; i < shape.n_to_slots; ++i) {
    --prime;
    add(sine_variance, relative(rounding) * derivative);
    add(sine_variance, relative(switching) * length * derivative);
  }
  add(sine_variance, relative(switching) * derivative);  // of the conjugate
  for (size_t i = 0; i < kCosineLevels; ++i) {
    // Several polynomials on each level, each times a coefficient below 1.
    --prime;
    add(sine_variance, 2 * relative(rounding) * doubled);
  }
  double left = doubled;
  for (size_t i = 0; i < kDoublings; ++i) {
    --prime;
    left /= 2;
    add(sine_variance, relative(rounding) * left);
  }
  const double unit = bound / (2 * std::numbers::pi * part);  // of the sine
  const double angle = 2 * std::numbers::pi * part;
  const double cubic = bound * angle * angle / 6;
  constexpr double kPolynomialError = 0x1p-44;
  const double noise =
      model.error({.noise = std::log2(variance + sine_variance * unit * unit) / 2}) / std::sqrt(n);
  return noise + cubic + kPolynomialError * doubled * unit;
}

}  // namespace tacet::he
