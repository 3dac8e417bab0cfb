#include "compiler/he/lower/ring_costs.h"

#include <algorithm>
#include <cmath>

#include "compiler/he/lower/levels.h"
#include "engine/he_model/bootstrapping.h"
#include "engine/he_model/noise_bounds.h"
#include "engine/he_model/noise_model.h"

namespace tacet::he_lower {
namespace {

using he::Operation;
using he::OperationPlace;
using he::Scheme;

constexpr size_t kLeastDimension = 4096;
constexpr size_t kMostDimension = 32768;
/// Of reals, for programs that need more levels than the rings before have.
constexpr size_t kMostRealDimension = 65536;

/// As large as is secure with so many data primes and one special one.
struct Primes {
  Scheme scheme = Scheme::Bgv;
  size_t ring_dimension = 0;
  size_t n_primes = 1;
  unsigned bits = 0;
};

/// How many products of ciphertexts can follow each other, or how many by plaintexts, a part of one
/// included.
struct Room {
  double products = 0;
  double plain_products = 0;
};

/// Drops primes where that costs next to nothing, which keeps the noise of BGV small.
void drop_primes(const he::NoiseModel& model, he::NoiseState& state) {
  constexpr double kLoss = 4;
  while (state.n_primes > 1) {
    he::NoiseState fewer = state;
    const he::NoiseGrowth dropped = model.dropped(state, 1);
    fewer.noise = dropped.noise;
    fewer.n_factors = dropped.n_factors;
    --fewer.n_primes;
    if (model.budget(fewer) < model.budget(state) - kLoss) {
      return;
    }
    state = fewer;
  }
}

/// What hiding a result takes of its budget, about: as `he::NoiseBounds` has it, where the noise is
/// little more than that of the zero under the public key.
auto hiding_bits_of(size_t ring_dimension) -> double {
  constexpr double kOfZero = 8;
  return he::kHidingBits + std::log2(he::kMostHiddenParts) +
         std::log2(static_cast<double>(ring_dimension)) + kOfZero;
}

/// The same of flooding, of several key holders: as wide as the noise is, which is little more than
/// one bound of rounding where primes are dropped.
auto flooding_bits_of(const RingRequest& request, size_t ring_dimension) -> double {
  if (request.n_key_holders == 1) {
    return 0;
  }
  const double log_n = std::log2(static_cast<double>(ring_dimension));
  const double noise = request.is_hidden ? 0 : log_n / 2;  // of bounds, beyond estimates
  return he::kHidingBits + log_n + noise + std::log2(request.n_key_holders);
}

/// Squares again and again while there is a budget.
auto room_of(const Primes& primes, const RingRequest& request) -> Room {
  constexpr double kMostProducts = 64;
  const auto bits = static_cast<double>(primes.bits);
  const he::NoiseModel model(primes.scheme, primes.ring_dimension, std::exp2(request.plain_bits),
                             std::vector<double>(primes.n_primes, bits), {bits},
                             request.n_key_holders);
  he::NoiseState state{.noise = model.fresh_symmetric(), .n_primes = primes.n_primes};
  const double plain_loss =
      model.plain_product(state.noise, std::exp2(request.plain_bits - 1)) - state.noise;
  const double hiding = (request.is_hidden ? hiding_bits_of(primes.ring_dimension) : 0) +
                        flooding_bits_of(request, primes.ring_dimension);
  double left = model.budget(state) - request.margin - hiding;
  Room room{0, std::max(left / plain_loss, 0.0)};
  while (left > 0 && room.products < kMostProducts) {
    const he::NoiseGrowth growth = model.product(state, state);
    state.noise = he::add_logarithms(growth.noise, model.key_switch(state.n_primes));
    state.n_factors = growth.n_factors;
    drop_primes(model, state);
    const double next = model.budget(state) - request.margin - hiding;
    const double loss = std::max(left - next, 1.0);
    room.products += std::min(left / loss, 1.0);
    left = next;
  }
  return room;
}

auto weights_of(const he::OperationTimes& times, const RingRequest& request, const Primes& primes)
    -> circuit::Weights {
  const OperationPlace fresh{.scheme = primes.scheme,
                             .ring_dimension = primes.ring_dimension,
                             .n_primes = primes.n_primes,
                             .n_special = primes.n_primes < 6 ? size_t{1} : size_t{2}};
  OperationPlace halfway = fresh;
  halfway.n_primes = (primes.n_primes + 2) / 2;
  const auto time = [&](Operation operation) { return times.of(operation, halfway); };
  const auto sent = [&](size_t n_rows) {
    return static_cast<double>(primes.ring_dimension * n_rows * primes.bits) /
           request.link_megabits;
  };
  circuit::Weights weights;
  // One half of a fresh ciphertext is a seed.
  weights.input_ciphertext = times.of(Operation::Encrypt, fresh) + sent(primes.n_primes);
  weights.input_plaintext = time(Operation::AddPlain);
  weights.output_ciphertext = time(Operation::Decrypt) + sent(2);
  weights.rotation = time(Operation::Rotate);
  weights.hoisted_rotation = time(Operation::RotateHoisted);
  weights.rotation_key = times.of(Operation::Key, fresh) / 4;  // made once, used often
  weights.ct_ct_product = time(Operation::Multiply);
  weights.ct_pt_product = time(Operation::MultiplyPlain);
  weights.relinearisation = time(Operation::Relinearise);
  weights.ct_ct_addition = time(Operation::Add);
  weights.ct_pt_addition = time(Operation::AddPlain);
  weights.negation = time(Operation::Add) / 2;
  weights.native_operation = time(Operation::Add) / 4;
  return weights;
}

auto cost_in(const circuit::Weights& weights, size_t ring_dimension) -> schedule::RingCost {
  schedule::RingCost cost;
  cost.n_columns = static_cast<uint32_t>(ring_dimension / 2);
  cost.input_cipher = weights.input_ciphertext;
  cost.plain = weights.input_plaintext;
  cost.output_cipher = weights.output_ciphertext;
  cost.rotation = weights.rotation;
  cost.hoisted_rotation = weights.hoisted_rotation;
  cost.product = weights.ct_ct_product + weights.relinearisation;
  cost.plain_product = weights.ct_pt_product;
  cost.addition = weights.ct_ct_addition;
  cost.plain_addition = weights.ct_pt_addition;
  return cost;
}

/// The largest ring with what `choose_bootstrapped_encryption` takes of it, about.
auto bootstrapped_ring(const he::OperationTimes& times, const RingRequest& request) -> Ring {
  constexpr size_t kPrimes = 14;
  constexpr size_t kSpecial = 10;
  constexpr double kLevels = 10;  // from one bootstrapping to the next
  constexpr double kMostDepth = 10'000;
  const he::BootstrappingShape shape = he::bootstrapping_shape(he::kBootstrappedDimension);
  Ring ring{
      .scheme = Scheme::Ckks,
      .cost = {},
      .weights = weights_of(
          times, request, {Scheme::Ckks, he::kBootstrappedDimension, kPrimes, request.scale_bits})};
  ring.weights.depth = he::bootstrapping_time(times, he::kBootstrappedDimension, shape,
                                              kPrimes + shape.n_own_primes(), kSpecial) /
                       kLevels;
  ring.cost = cost_in(ring.weights, he::kBootstrappedDimension);
  ring.cost.most_depth = kMostDepth;
  ring.cost.depth = ring.weights.depth;
  ring.cost.depth_of_plain_product = 1;
  return ring;
}

/// Of reals: each product takes a prime, by a plaintext or not, and the last one stays.
void add_real_rings(const he::OperationTimes& times, const RingRequest& request, size_t n,
                    std::vector<Ring>& rings) {
  const unsigned limit = he::max_modulus_bits(n, request.security).value_or(0);
  const unsigned least = 2 * std::min(he::kMaxPrimeBits, request.scale_bits + 8);
  size_t first = 1;
  if (n > kMostDimension) {
    const unsigned smaller = he::max_modulus_bits(kMostDimension, request.security).value_or(0);
    first = smaller < least ? 1 : (smaller - least) / request.scale_bits + 2;
  }
  for (size_t count = first; least + (count - 1) * request.scale_bits <= limit; ++count) {
    Ring ring{.scheme = Scheme::Ckks,
              .cost = {},
              .weights = weights_of(times, request, {Scheme::Ckks, n, count, request.scale_bits})};
    ring.cost = cost_in(ring.weights, n);
    ring.cost.most_depth = static_cast<double>(count - 1);
    ring.cost.depth_of_plain_product = 1;
    rings.push_back(std::move(ring));
  }
  if (n == he::kBootstrappedDimension && request.security == he::Security::Bits128) {
    rings.push_back(bootstrapped_ring(times, request));
  }
}

}  // namespace

auto possible_rings(const he::OperationTimes& times, const RingRequest& request)
    -> std::vector<Ring> {
  std::vector<Ring> rings;
  const bool is_real = request.scheme == Scheme::Ckks;
  for (size_t n = kLeastDimension; n <= (is_real ? kMostRealDimension : kMostDimension); n *= 2) {
    if (is_real) {
      add_real_rings(times, request, n, rings);
      continue;
    }
    const unsigned limit = he::max_modulus_bits(n, request.security).value_or(0);
    for (const Scheme scheme : {Scheme::Bgv, Scheme::Bfv}) {
      double most = request.scheme.value_or(scheme) == scheme ? 0 : HUGE_VAL;
      for (size_t count = 1; limit / (count + 1) >= kLeastPrimeBits; ++count) {
        const Primes primes{
            scheme, n, count,
            std::min(he::kMaxPrimeBits, static_cast<unsigned>(limit / (count + 1)))};
        const Room room = room_of(primes, request);
        if (room.products + room.plain_products <= most) {
          continue;
        }
        most = room.products + room.plain_products;
        Ring ring{.scheme = scheme, .cost = {}, .weights = weights_of(times, request, primes)};
        ring.cost = cost_in(ring.weights, n);
        ring.cost.most_depth = room.products;
        ring.cost.depth_of_plain_product = room.products / room.plain_products;
        rings.push_back(std::move(ring));
      }
    }
  }
  return rings;
}

auto published_rings(he::Scheme scheme) -> std::vector<Ring> {
  std::vector<Ring> rings;
  for (const schedule::RingCost& cost : schedule::published_rings()) {
    rings.push_back(
        {.scheme = scheme, .cost = cost, .weights = circuit::recto_myers_weights(cost.n_columns)});
  }
  return rings;
}

auto weights_with_depth(const std::vector<Ring>& rings, size_t at, const schedule::Counts& counts)
    -> circuit::Weights {
  circuit::Weights weights = rings[at].weights;
  const schedule::RingCost& here = rings[at].cost;
  const double time = time_of(counts, here);
  if (std::isinf(time)) {
    return weights;  // too deep for the ring in any case
  }
  for (const Ring& other : rings) {
    const bool is_deeper = other.scheme == rings[at].scheme &&
                           other.cost.n_columns == here.n_columns &&
                           other.cost.most_depth > here.most_depth;
    if (is_deeper) {
      const double difference = time_of(counts, other.cost) - time;
      weights.depth = std::max(difference / (other.cost.most_depth - here.most_depth), 0.0);
      return weights;
    }
  }
  // No deeper ring of these columns: another level would double all that is done.
  weights.depth = weights.depth > 0 ? weights.depth : time;
  return weights;
}

}  // namespace tacet::he_lower
