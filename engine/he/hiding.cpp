#include "engine/he/hiding.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/he/checks.h"
#include "engine/he/encryption.h"
#include "engine/he/evaluation.h"
#include "engine/he/noise.h"
#include "engine/he/wide_noise.h"

namespace tacet::he {
auto hide(const Context& context, const PublicKey& key, Ciphertext a, const Plaintext& mask,
          unsigned bits, SecureRandom& random) -> Result<Ciphertext> {
  if (Status status = check_key(context, key.parameters, key.key_id, a, "public key"); !status) {
    return status.error();
  }
  if (a.degree() != 1) {
    return Error{
        fmt::format("a result of degree {} cannot be hidden; relinearise first", a.degree())};
  }
  Result<Ciphertext> zero = encrypt(context, key, mask, random, a.n_primes());
  if (!zero) {
    return zero.error();
  }
  if (zero->n_primes() != a.n_primes()) {
    return Error{fmt::format("the mask has {} primes, but the result has {}", zero->n_primes(),
                             a.n_primes())};
  }
  // Ten deviations are taken for the largest: that is what the uniform numbers are at most.
  a.metadata.noise = bits - 1 - std::log2(10);
  a.metadata.bound = bits;
  a.metadata.n_noise_factors = 1;
  a.metadata.magnitude += zero->metadata.magnitude;
  if (const double budget = estimated_budget(context, a); budget < 0) {
    return Error{
        fmt::format("the modulus is too small for the noise that hides the server's inputs: {:.0f} "
                    "bits are missing",
                    std::ceil(-budget))};
  }
  context.for_each(2 * a.n_primes(), [&](size_t i) {
    uint64_t* row = a.parts[i / a.n_primes()].row(i % a.n_primes());
    const uint64_t* added = zero->parts[i / a.n_primes()].row(i % a.n_primes());
    context.kernels().add(row, row, added, context.n(), context.modulus(i % a.n_primes()));
  });
  add_noise(context, WideNoise(context.n(), bits, random), a.parts[0]);
  a.seed.reset();
  return a;
}

auto without_spare_primes(const Context& context, Ciphertext a) -> Result<Ciphertext> {
  constexpr double kLoss = 0.5;
  const double budget = estimated_budget(context, a);
  while (a.n_primes() > 1) {
    NoiseState fewer = noise_state(a);
    const NoiseGrowth growth = context.noise().dropped(fewer, a.degree());
    fewer.noise = growth.noise;
    --fewer.n_primes;
    if (context.noise().budget(fewer) < budget - kLoss) {
      break;
    }
    Result<Ciphertext> dropped = drop_prime(context, std::move(a));
    if (!dropped) {
      return dropped;
    }
    a = std::move(*dropped);
  }
  return a;
}

}  // namespace tacet::he
