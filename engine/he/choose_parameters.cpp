#include "engine/he/choose_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/he_model/noise_model.h"
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

/// Primes of fewer bits are too rare, and hold too little beside the noise.
constexpr unsigned kLeastBits = 20;

/// Transforms that a product and the switching of its keys take: what time goes into, and the
/// fewer digits there are, the smaller are the keys.
auto cost_of(const ParameterRequest& request) -> size_t {
  const size_t m = request.data_prime_bits.size();
  const size_t n_special = request.special_prime_bits.size();
  const size_t product = request.scheme == Scheme::Bfv ? 16 * m : 0;
  if (n_special == 0) {
    return product;
  }
  const size_t n_digits = (m + n_special - 1) / n_special;
  // Back once, the digits raised to the primes that are not theirs, and the special ones lowered.
  return product + m + n_digits * (m + n_special) - m + 2 * n_special + 2 * m;
}

/// The largest requests for rings of dimension `n` with this number of special primes, one for each
/// number of data primes.
void add_requests(const ParameterNeeds& needs, size_t n, unsigned limit, unsigned n_special,
                  std::vector<ParameterRequest>& result) {
  ParameterRequest request;
  request.scheme = needs.scheme;
  request.ring_dimension = n;
  request.plain_modulus = needs.plain_modulus;
  request.security = needs.security;
  request.n_key_holders = needs.n_key_holders;
  if (needs.scheme == Scheme::Ckks) {
    // The first prime holds the result, each of the others one division by the scale.
    const unsigned n_levels = needs.depth + needs.plain_depth;
    const unsigned first =
        std::min(ring::kMaxModulusBits, needs.scale_bits + needs.magnitude_bits + 8);
    request.data_prime_bits = {first};
    request.data_prime_bits.insert(request.data_prime_bits.end(), n_levels, needs.scale_bits);
    request.special_prime_bits.assign(n_special, first);
    if (first * (1 + n_special) + needs.scale_bits * n_levels <= limit &&
        n_special <= request.data_prime_bits.size()) {
      result.push_back(request);
    }
    return;
  }
  for (unsigned n_primes = std::max(1U, n_special); n_primes + n_special <= limit / kLeastBits;
       ++n_primes) {
    const auto most = std::min(ring::kMaxModulusBits, limit / (n_primes + n_special));
    request.data_prime_bits.assign(n_primes, most);
    request.special_prime_bits.assign(n_special, most);
    result.push_back(request);
  }
}

/// Requests for rings of dimension `n`, those that cost least first. Digits of several primes cost
/// less where the modulus allows as many special primes.
auto requests(const ParameterNeeds& needs, size_t n, unsigned limit)
    -> std::vector<ParameterRequest> {
  constexpr unsigned kMostSpecial = 6;
  std::vector<ParameterRequest> result;
  if (!needs_keys(needs)) {
    add_requests(needs, n, limit, 0, result);
  } else {
    for (unsigned n_special = 1; n_special <= kMostSpecial; ++n_special) {
      add_requests(needs, n, limit, n_special, result);
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return cost_of(a) < cost_of(b); });
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
  return {request.scheme,
          request.ring_dimension,
          static_cast<double>(request.plain_modulus),
          sizes(request.data_prime_bits),
          sizes(request.special_prime_bits),
          request.n_key_holders};
}

/// Whether the model leaves the margin.
auto is_enough(const ParameterRequest& request, const ParameterNeeds& needs) -> bool {
  const NoiseModel model = model_of(request);
  return Simulation(model, needs, request.data_prime_bits.size()).budget() >= needs.margin;
}

/// The parameters with the smallest primes, up to those of the request, that leave the margin.
auto smallest(ParameterRequest request, const ParameterNeeds& needs) -> std::optional<Parameters> {
  if (!is_enough(request, needs)) {
    return std::nullopt;
  }
  const unsigned most = request.data_prime_bits.back();
  for (unsigned bits = needs.scheme == Scheme::Ckks ? most : kLeastBits; bits <= most; ++bits) {
    if (needs.scheme != Scheme::Ckks) {
      std::fill(request.data_prime_bits.begin(), request.data_prime_bits.end(), bits);
      std::fill(request.special_prime_bits.begin(), request.special_prime_bits.end(), bits);
    }
    if (!is_enough(request, needs)) {
      continue;
    }
    Result<Parameters> parameters = make_parameters(request);
    if (parameters && budget_after(*parameters, needs) >= needs.margin) {
      return std::move(*parameters);
    }
  }
  return std::nullopt;
}

}  // namespace

auto budget_after(const Parameters& parameters, const ParameterNeeds& needs) -> double {
  const NoiseModel model = noise_model_of(parameters);
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
      if (std::optional<Parameters> parameters = smallest(request, here)) {
        return std::move(*parameters);
      }
    }
  }
  return Error{fmt::format(
      "no ring of dimension up to {} has {} bits of security and a modulus large enough for {} "
      "sequential products of ciphertexts and {} of plaintexts",
      ring::kMaxDimension, static_cast<unsigned>(needs.security), needs.depth, needs.plain_depth)};
}

}  // namespace tacet::he
