#include "engine/he/choose_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/he/noise_model.h"
#include "engine/ring/ntt_tables.h"
#include "engine/ring/primes.h"

namespace tacet::he {
namespace {

/// The computation's noise, level by level.
class Simulation {
 public:
  Simulation(const NoiseModel& model, const ParameterNeeds& needs, size_t n_data)
      : model_(model), needs_(needs) {
    state_.n_primes = n_data;
    state_.noise = model.fresh_public();
    state_.scale = std::exp2(needs.scale_bits);
    state_.magnitude = std::exp2(needs.magnitude_bits);
  }

  auto budget() -> double {
    const unsigned n_levels = std::max(needs_.depth, needs_.plain_depth);
    for (unsigned level = 0; level < n_levels; ++level) {
      if (level < needs_.depth) {
        grow(model_.product(state_, state_));
        switch_keys();
        drop();
      }
      if (level < needs_.plain_depth) {
        multiply_plain();
        drop();
      }
      for (unsigned i = 0; i < needs_.log2_terms; ++i) {
        state_.noise += 1;
        switch_keys();
      }
      if (model_.budget(state_) <= 0) {
        break;
      }
    }
    return model_.budget(state_);
  }

 private:
  void grow(const NoiseGrowth& growth) {
    state_.noise = growth.noise;
    state_.n_factors = growth.n_factors;
  }
  void switch_keys() {
    state_.noise = add_logarithms(state_.noise, model_.key_switch(state_.n_primes));
  }
  void multiply_plain() {
    if (needs_.scheme == Scheme::Ckks) {
      NoiseState rounded = state_;
      rounded.noise = -1;
      rounded.n_factors = 1;
      grow(model_.product(state_, rounded));
    } else {
      state_.noise =
          model_.plain_product(state_.noise, static_cast<double>(needs_.plain_modulus) / 2);
    }
  }
  /// BGV controls its noise so, and CKKS its scale; a BFV ciphertext keeps its primes.
  void drop() {
    if (needs_.scheme == Scheme::Bfv || state_.n_primes == 1) {
      return;
    }
    NoiseState dropped = state_;
    const NoiseGrowth growth = model_.dropped(state_, 1);
    dropped.noise = growth.noise;
    dropped.n_factors = growth.n_factors;
    --dropped.n_primes;
    if (needs_.scheme == Scheme::Ckks || model_.budget(dropped) > model_.budget(state_) - 1) {
      state_ = dropped;
    }
  }

  const NoiseModel& model_;
  const ParameterNeeds& needs_;
  NoiseState state_;
};

auto needs_keys(const ParameterNeeds& needs) -> bool {
  return needs.depth > 0 || needs.log2_terms > 0;
}

/// Requests for rings of dimension `n`, in the order in which they are to be tried.
auto requests(const ParameterNeeds& needs, size_t n, unsigned limit)
    -> std::vector<ParameterRequest> {
  std::vector<ParameterRequest> result;
  const size_t n_special = needs_keys(needs) ? 1 : 0;
  ParameterRequest request;
  request.scheme = needs.scheme;
  request.ring_dimension = n;
  request.plain_modulus = needs.plain_modulus;
  request.security = needs.security;
  if (needs.scheme == Scheme::Ckks) {
    // The first prime holds the result, each of the others one division by the scale.
    const unsigned n_levels = needs.depth + needs.plain_depth;
    const unsigned first =
        std::min(ring::kMaxModulusBits, needs.scale_bits + needs.magnitude_bits + 8);
    request.data_prime_bits = {first};
    request.data_prime_bits.insert(request.data_prime_bits.end(), n_levels, needs.scale_bits);
    request.special_prime_bits.assign(n_special, first);
    if (first * (1 + n_special) + needs.scale_bits * n_levels <= limit) {
      result.push_back(request);
    }
    return result;
  }
  for (unsigned n_primes = 1; n_primes <= limit / 20 + 1; ++n_primes) {
    const auto most = std::min<unsigned>(ring::kMaxModulusBits,
                                         limit / (n_primes + static_cast<unsigned>(n_special)));
    for (unsigned bits = 20; bits <= most; ++bits) {
      request.data_prime_bits.assign(n_primes, bits);
      request.special_prime_bits.assign(n_special, bits);
      result.push_back(request);
    }
  }
  return result;
}

auto model_of(const ParameterRequest& request) -> NoiseModel {
  // Primes of b bits are a little smaller than 2^b.
  const auto sizes = [](const std::vector<unsigned>& bits) {
    std::vector<double> result;
    for (const unsigned b : bits) {
      result.push_back(b - 0.01);
    }
    return result;
  };
  return {request.scheme, request.ring_dimension, static_cast<double>(request.plain_modulus),
          sizes(request.data_prime_bits), sizes(request.special_prime_bits)};
}

}  // namespace

auto budget_after(const Parameters& parameters, const ParameterNeeds& needs) -> double {
  const NoiseModel model(parameters);
  return Simulation(model, needs, parameters.data_primes().size()).budget();
}

auto choose_parameters(const ParameterNeeds& needs) -> Result<Parameters> {
  for (size_t n = 1024; n <= ring::kMaxDimension; n *= 2) {
    const std::optional<unsigned> limit = max_modulus_bits(n, needs.security);
    if (!limit || n / 2 < needs.n_slots) {
      continue;
    }
    ParameterNeeds here = needs;
    if (needs.scheme != Scheme::Ckks && needs.plain_modulus == 0) {
      const std::vector<uint64_t> primes = ring::largest_primes(needs.plain_bits, 2 * n, 1);
      if (primes.empty()) {
        continue;
      }
      here.plain_modulus = primes[0];
    }
    for (const ParameterRequest& request : requests(here, n, *limit)) {
      const NoiseModel model = model_of(request);
      if (Simulation(model, here, request.data_prime_bits.size()).budget() < needs.margin) {
        continue;
      }
      Result<Parameters> parameters = make_parameters(request);
      if (parameters && budget_after(*parameters, here) >= needs.margin) {
        return parameters;
      }
    }
  }
  return Error{fmt::format(
      "no ring of dimension up to {} has {} bits of security and a modulus "
      "large enough for {} products of ciphertexts and {} of plaintexts one "
      "after another",
      ring::kMaxDimension, static_cast<unsigned>(needs.security), needs.depth, needs.plain_depth)};
}

}  // namespace tacet::he
