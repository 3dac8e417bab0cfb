#include "engine/he_model/bootstrapping.h"

#include <cmath>
#include <numbers>

#include "engine/he_model/noise_model.h"

namespace tacet::he {

auto BootstrappingShape::n_own_primes() const -> size_t {
  return n_to_slots + kCosineLevels + kDoublings;
}

auto bootstrapping_shape(size_t ring_dimension) -> BootstrappingShape {
  constexpr size_t kLarge = size_t{1} << 16;
  return ring_dimension >= kLarge ? BootstrappingShape{}
                                  : BootstrappingShape{.n_to_coefficients = 2, .n_to_slots = 2};
}

auto max_encapsulation_bits(size_t ring_dimension) -> unsigned {
  constexpr size_t kLarge = size_t{1} << 16;
  constexpr size_t kMedium = size_t{1} << 15;
  return ring_dimension >= kLarge ? 121 : ring_dimension >= kMedium ? 96 : 0;
}

static constexpr double kStepsInOctave = 4;

auto step_of_bound(double bound) -> int {
  return static_cast<int>(std::ceil(kStepsInOctave * std::log2(bound)));
}

auto bound_of_step(int step) -> double {
  return std::exp2(step / kStepsInOctave);
}

/// Baby steps or giant steps of a factor.
static auto steps_of_each(size_t ring_dimension, size_t n_factors) -> double {
  const double log_slots = std::log2(static_cast<double>(ring_dimension) / 2);
  return std::ceil(std::exp2((1 + log_slots / static_cast<double>(n_factors)) / 2));
}

auto bootstrapping_rotations(size_t ring_dimension, const BootstrappingShape& shape) -> double {
  const auto n_factors = static_cast<double>(shape.n_to_slots);
  return n_factors * (2 * steps_of_each(ring_dimension, shape.n_to_slots) - 1);
}

auto bootstrapping_time(const OperationTimes& times, size_t ring_dimension,
                        const BootstrappingShape& shape, size_t n_data, size_t n_special)
    -> double {
  OperationPlace place{.scheme = Scheme::Ckks,
                       .ring_dimension = ring_dimension,
                       .n_primes = n_data,
                       .n_special = n_special};
  const double log_slots = std::log2(static_cast<double>(ring_dimension) / 2);
  double sum = 0;
  const auto of = [&](Operation operation) { return times.of(operation, place); };
  const auto add_transform = [&](size_t n_factors) {
    const double n_diagonals = std::exp2(1 + log_slots / static_cast<double>(n_factors));
    const double n_each = steps_of_each(ring_dimension, n_factors);
    for (size_t i = 0; i < n_factors; ++i, --place.n_primes) {
      sum += of(Operation::Hoist) + n_each * of(Operation::RotateHoisted) +
             (n_each - 1) * of(Operation::Rotate) + n_diagonals * of(Operation::MultiplyPlain) +
             of(Operation::Drop);
    }
  };
  add_transform(shape.n_to_slots);
  sum += of(Operation::Rotate);
  // Products by level: see `he::sine`.
  for (const double n_products : {1, 2, 4, 2, 1, 1, 1, 1, 1}) {
    sum +=
        n_products * (of(Operation::Multiply) + of(Operation::Relinearise) + of(Operation::Drop));
    --place.n_primes;
  }
  place.n_primes = shape.n_operand_primes();
  add_transform(shape.n_to_coefficients);
  return sum;
}

auto bootstrapping_error(size_t ring_dimension, const std::vector<double>& data_bits,
                         size_t n_result_primes, const BootstrappingShape& shape,
                         double operand_scale, double bound) -> double {
  constexpr double kTernaryVariance = 2.0 / 3;
  constexpr double kRoundingVariance = 1.0 / 12;
  constexpr double kDeviations = 10;
  const auto n = static_cast<double>(ring_dimension);
  // Of each coefficient, by rounding both parts of a ciphertext.
  const double rounding = std::sqrt(kRoundingVariance * (1 + n * kTernaryVariance));
  const double part = std::exp2(kMessagePart);

  // Rounding behind each factor of the first transform, and by the switch to the sparse secret and
  // back: of coefficients, against a message of part q.
  const double own_scale = part * std::exp2(data_bits.front()) / bound;
  double variance = 3 * std::pow(rounding * tail_factor(1) / own_scale, 2);
  const double log_slots = std::log2(n / 2);
  const auto n_factors = static_cast<double>(shape.n_to_coefficients);
  for (size_t i = 0; i < shape.n_to_coefficients; ++i) {
    // What follows adds up so many slots, whose coefficients are 1 / sqrt(n) of them.
    const double growth =
        std::exp2(log_slots * (n_factors - 1 - static_cast<double>(i)) / (2 * n_factors));
    variance += std::pow(growth * rounding * tail_factor(1) / operand_scale, 2);
  }

  // Of slots, relative to 1, in each of the levels of the sine. An error of the first ones is
  // multiplied by the derivative of the sine, that of the polynomial by what doublings make of it:
  // 2^r cos / sin of an angle of 2^-r pi/2, at the message's end of the interval.
  const double slot_rounding = rounding * tail_factor(1) * std::sqrt(n);
  const double derivative = 2 * std::numbers::pi * kSineRange;
  const double doubled =
      std::exp2(kDoublings) / std::sin(std::numbers::pi / 2 / std::exp2(kDoublings));
  double sine_variance = 0;
  size_t prime = n_result_primes + shape.n_own_primes();
  const auto relative = [&] { return slot_rounding / std::exp2(data_bits[--prime]); };
  for (size_t i = 0; i < shape.n_to_slots; ++i) {
    sine_variance += std::pow(relative() * derivative, 2);
  }
  for (size_t i = 0; i < kCosineLevels; ++i) {
    // Several polynomials on each level, each times a coefficient below 1.
    sine_variance += 4 * std::pow(relative() * doubled, 2);
  }
  double left = doubled;
  for (size_t i = 0; i < kDoublings; ++i) {
    left /= 2;
    sine_variance += std::pow(relative() * left, 2);
  }
  const double unit = bound / (2 * std::numbers::pi * part);  // of the sine
  const double angle = 2 * std::numbers::pi * part;
  const double cubic = bound * angle * angle / 6;
  constexpr double kPolynomialError = 0x1p-44;
  return kDeviations * std::sqrt(variance + sine_variance * unit * unit) + cubic +
         kPolynomialError * doubled * unit;
}

}  // namespace tacet::he
