#include "engine/he/noise.h"

namespace tacet::he {

auto noise_state(const Ciphertext& a) -> NoiseState {
  return {.noise = a.noise,
          .scale = a.scale,
          .magnitude = a.magnitude,
          .n_factors = a.n_noise_factors,
          .n_primes = a.n_primes()};
}

void set_noise(Ciphertext& a, const NoiseGrowth& growth) {
  a.noise = growth.noise;
  a.n_noise_factors = growth.n_factors;
}

auto estimated_budget(const Context& context, const Ciphertext& a) -> double {
  return context.noise().budget(noise_state(a));
}

auto estimated_error(const Context& context, const Ciphertext& a) -> double {
  return context.noise().error(noise_state(a));
}

}  // namespace tacet::he
