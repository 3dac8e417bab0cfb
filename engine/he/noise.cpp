#include "engine/he/noise.h"

#include <algorithm>
#include <cmath>

namespace tacet::he {

auto noise_state(const Ciphertext& a) -> NoiseState {
  return {.noise = a.metadata.noise,
          .scale = a.metadata.scale,
          .magnitude = a.metadata.magnitude,
          .n_factors = a.metadata.n_noise_factors,
          .n_primes = a.n_primes()};
}

void set_noise(CiphertextMetadata& a, const NoiseGrowth& growth) {
  a.noise = growth.noise;
  a.n_noise_factors = growth.n_factors;
}

auto estimated_budget(const Context& context, const Ciphertext& a) -> double {
  return context.noise().budget(noise_state(a));
}

auto estimated_error(const Context& context, const Ciphertext& a) -> double {
  return context.noise().error(noise_state(a));
}

auto rounding_noise(double scale, double magnitude) -> double {
  // Two bits for what the transform's roundings sum up to.
  constexpr double kDoubleBits = 53 - 2;
  return std::max(-1.0, std::log2(scale * magnitude) - kDoubleBits);
}

auto rounding_bound(double scale, double magnitude) -> double {
  // Ten deviations: rounding to integers is at most half off, and the transform's roundings sum up
  // to a few units of the last place.
  return rounding_noise(scale, magnitude) + std::log2(10);
}

auto fresh_bound(const Context& context, bool is_symmetric, double scale, double magnitude)
    -> double {
  const double bound =
      is_symmetric ? context.bounds().fresh_symmetric() : context.bounds().fresh_public();
  return context.scheme() == Scheme::Ckks ? add_logarithms(bound, rounding_bound(scale, magnitude))
                                          : bound;
}

}  // namespace tacet::he
