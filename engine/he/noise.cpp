#include "engine/he/noise.h"

namespace tacet::he {

auto noise_state(const Ciphertext& a) -> NoiseState {
  return {.noise = a.noise, .scale = a.scale, .magnitude = a.magnitude, .n_primes = a.n_primes()};
}

auto estimated_budget(const Context& context, const Ciphertext& a) -> double {
  return context.noise().budget(noise_state(a));
}

auto estimated_error(const Context& context, const Ciphertext& a) -> double {
  return context.noise().error(noise_state(a));
}

}  // namespace tacet::he
