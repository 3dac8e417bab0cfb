#include "compiler/he/lower/key_memory.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "compiler/he/circuit/rotations.h"
#include "engine/he_model/bootstrapping.h"
#include "engine/program/he/facts.h"

namespace tacet::he_lower {

auto key_bytes(size_t ring_dimension, size_t n_primes, size_t n_special) -> double {
  if (n_special == 0) {
    return 0;
  }
  const size_t n_digits = (n_primes + n_special - 1) / n_special;
  return static_cast<double>(2 * n_digits * (n_primes + n_special) * ring_dimension *
                             sizeof(uint64_t));
}

auto bootstrapping_key_bytes(size_t ring_dimension, size_t n_primes, size_t n_special) -> double {
  constexpr double kOthers = 3;  // for conjugation, and to and from the sparse secret
  return (kOthers +
          he::bootstrapping_rotations(ring_dimension, he::bootstrapping_shape(ring_dimension))) *
         key_bytes(ring_dimension, n_primes, n_special);
}

auto key_bytes(const Encryption& encryption) -> double {
  const size_t n = encryption.ring_dimension;
  const size_t n_special = encryption.special_prime_bits.size();
  const engine::HeFacts facts = engine::facts_of(encryption.program);
  double total = 0;
  for (const auto& [steps, n_primes] : facts.rotations) {
    total += key_bytes(n, n_primes, n_special);
  }
  total += facts.needs_swap ? key_bytes(n, facts.n_swap_primes, n_special) : 0;
  total +=
      facts.needs_relinearisation ? key_bytes(n, facts.n_relinearisation_primes, n_special) : 0;
  if (facts.n_bootstrapped_primes != 0) {
    total += bootstrapping_key_bytes(n, encryption.data_prime_bits.size(), n_special);
  }
  return total;
}

auto key_bytes(const std::vector<Encryption>& parts) -> double {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const Encryption& part) { return sum + key_bytes(part); });
}

namespace {

struct ByDigits {
  circuit::Circuit circuit;
  double cost = 0;
  size_t n_keys = 0;
};

}  // namespace

auto within_key_bytes(
    EncryptedCircuit encrypted, double most_bytes, const circuit::Weights& weights,
    const std::function<Result<std::vector<Encryption>>(const circuit::Circuit&)>& encrypt)
    -> EncryptedCircuit {
  const double bytes = key_bytes(encrypted.parts);
  if (bytes <= most_bytes) {
    return encrypted;
  }
  const size_t n_keys = circuit::counts_of(encrypted.circuit).rotation_keys;
  std::vector<ByDigits> all;
  for (const int64_t base : {2, 4, 8, 16, 32, 64, 128}) {
    circuit::Circuit by_digits = circuit::rotations_by_digits(encrypted.circuit, base);
    const circuit::Counts counts = circuit::counts_of(by_digits);
    if (counts.rotation_keys < n_keys) {
      all.push_back(
          {std::move(by_digits), circuit::cost_of(counts, weights), counts.rotation_keys});
    }
  }
  const double bytes_of_key = bytes / static_cast<double>(n_keys + 1);
  const auto fits = [&](const ByDigits& a) {
    return static_cast<double>(a.n_keys + 1) * bytes_of_key <= most_bytes;
  };
  std::sort(all.begin(), all.end(), [&](const ByDigits& a, const ByDigits& b) {
    return fits(a) != fits(b) ? fits(a) : fits(a) ? a.cost < b.cost : a.n_keys < b.n_keys;
  });
  EncryptedCircuit best = std::move(encrypted);
  double least = bytes;
  for (ByDigits& each : all) {
    if (static_cast<double>(each.n_keys) * bytes_of_key >= least) {
      continue;  // hardly any less
    }
    Result<std::vector<Encryption>> parts = encrypt(each.circuit);
    if (!parts) {
      continue;
    }
    const double now = key_bytes(*parts);
    if (now < least) {
      least = now;
      best = {std::move(each.circuit), std::move(*parts)};
    }
    if (now <= most_bytes) {
      break;
    }
  }
  return best;
}

}  // namespace tacet::he_lower
