#include "engine/cggi_model/choose_parameters.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace tacet::cggi {
namespace {

constexpr unsigned kLeastLweDimension = 450;
constexpr unsigned kMostLweDimension = 1200;
constexpr unsigned kLeastExtractedDimension = 700;
/// Rings of more than one component stay below it: a larger ring does the same for less.
constexpr unsigned kMostExtractedDimension = 4096;
constexpr unsigned kMaxRotationLevels = 4;
constexpr unsigned kMaxSwitchLevels = 8;

/// Bytes that memory delivers per cycle of one core.
constexpr double kBytesPerCycle = 4;

/// The decomposition of so many levels that adds the least noise to a rotation.
auto quietest_rotation(Parameters p, unsigned n_levels) -> Decomposition {
  Decomposition best;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned bits = 3; bits <= 30 && bits * n_levels <= 46; ++bits) {
    p.rotation = {bits, n_levels};
    const double variance = rotation_variance(p);
    if (variance < least) {
      least = variance;
      best = p.rotation;
    }
  }
  return best;
}

auto quietest_switch(Parameters p, unsigned n_levels) -> Decomposition {
  Decomposition best;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned bits = 1; bits <= 10 && bits * n_levels <= 30; ++bits) {
    p.key_switch = {bits, n_levels};
    const double variance = key_switch_variance(p);
    if (variance < least) {
      least = variance;
      best = p.key_switch;
    }
  }
  return best;
}

/// Looks through dimensions and key switches for the parameters of a ring and a rotation.
class Search {
 public:
  explicit Search(const ParameterNeeds& needs) : needs_(needs) {}

  void try_ring(unsigned glwe_dimension, unsigned polynomial_size) {
    Parameters p{.lwe_dimension = 1,
                 .glwe_dimension = glwe_dimension,
                 .polynomial_size = polynomial_size,
                 .security = needs_.security};
    p.glwe_variance = least_variance(p.security, p.extracted_dimension(), kLog2Modulus);
    for (unsigned levels = 1; levels <= kMaxRotationLevels; ++levels) {
      p.rotation = quietest_rotation(p, levels);
      try_dimensions(p);
    }
  }

  [[nodiscard]] auto best() const -> const ChosenParameters& { return best_; }

 private:
  void try_dimensions(Parameters p) {
    for (unsigned n = kLeastLweDimension; n <= kMostLweDimension; n += 2) {
      p.lwe_dimension = n;
      p.lwe_variance = least_variance(p.security, n, kLog2SwitchedModulus);
      // Costs and the noise that does not come from the key switch grow with n.
      p.key_switch = {1, 1};
      if (cycles(p) >= best_.cost.cycles ||
          fails({rotation_variance(p), 0, modulus_switch_variance(p)})) {
        return;
      }
      try_key_switches(p);
    }
  }

  void try_key_switches(Parameters p) {
    for (unsigned levels = 1; levels <= kMaxSwitchLevels; ++levels) {
      p.key_switch = quietest_switch(p, levels);
      if (cycles(p) >= best_.cost.cycles) {
        return;
      }
      if (!fails(noise_variances(p))) {
        best_ = {.parameters = p,
                 .log2_failure = log2_failure(p, needs_.decisions),
                 .cost = bootstrap_cost(p, needs_.lock_step)};
        return;
      }
    }
  }

  [[nodiscard]] auto cycles(const Parameters& p) const -> double {
    return bootstrap_cost(p, needs_.lock_step).cycles;
  }

  [[nodiscard]] auto fails(const NoiseVariances& variances) const -> bool {
    return log2_failure(variances, needs_.decisions) > needs_.log2_failure;
  }

  const ParameterNeeds& needs_;
  ChosenParameters best_{.cost = {.cycles = std::numeric_limits<double>::infinity()}};
};

}  // namespace

auto bootstrap_cost(const Parameters& p, double lock_step) -> BootstrapCost {
  const double n = p.lwe_dimension;
  const double components = p.glwe_dimension + 1;
  const double levels = p.rotation.n_levels;
  const double half = p.polynomial_size / 2.0;
  // Vector operations: 4 an element of a product, 28 for 4 points of two levels of a transform,
  // about 14 to take digits or to add words.
  const double products = components * components * levels * half * 4 / 8;
  const double transforms = components * (levels + 1) * half * std::log2(half) * 3.5 / 8;
  const double conversions = components * p.polynomial_size * (2 + 5 * levels + 5) / 8;
  const double switching = p.extracted_dimension() * p.key_switch.n_levels * (n + 1) / 16 * 2;
  BootstrapCost cost;
  cost.rotation_key_bytes = n * components * components * levels * p.polynomial_size * 8;
  cost.switch_key_bytes = 4.0 * p.extracted_dimension() * p.key_switch.n_levels * (n + 1);
  cost.stored_key_bytes = n * components * levels * p.polynomial_size * 8 +
                          p.extracted_dimension() * p.key_switch.n_levels * 4.0;
  // One and a half operations a cycle.
  cost.cycles = (n * (products + transforms + conversions) + switching) / 1.5 +
                (cost.rotation_key_bytes + cost.switch_key_bytes) / (kBytesPerCycle * lock_step);
  return cost;
}

auto choose_parameters(const ParameterNeeds& needs) -> Result<ChosenParameters> {
  if (needs.security != Security::Bits128) {
    return Error{"parameters are chosen for 128 bits of security"};
  }
  Search search(needs);
  for (unsigned size = kMinPolynomialSize; size <= kMaxPolynomialSize; size *= 2) {
    for (unsigned k = 1; k <= kMaxGlweDimension && size >= needs.least_polynomial_size; ++k) {
      const unsigned dimension = k * size;
      if (dimension >= kLeastExtractedDimension &&
          (k == 1 || dimension <= kMostExtractedDimension)) {
        search.try_ring(k, size);
      }
    }
  }
  if (std::isinf(search.best().cost.cycles)) {
    return Error{
        fmt::format("no parameters keep the probability that the program fails below 2^{:.0f}",
                    needs.log2_failure)};
  }
  return search.best();
}

}  // namespace tacet::cggi
