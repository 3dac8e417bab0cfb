#pragma once

#include <optional>
#include <vector>

#include "compiler/he/circuit/counts.h"
#include "compiler/he/schedule/cost.h"
#include "engine/he_model/operation_times.h"

/// What layouts and circuits are compared by, before primes are chosen.
namespace tacet::he_lower {

/// Where a program may run: a scheme, a ring, and a number of primes.
struct Ring {
  he::Scheme scheme = he::Scheme::Bgv;
  schedule::RingCost cost;   ///< of layouts, as `weights` has it
  circuit::Weights weights;  ///< of circuits
};

struct RingRequest {
  std::optional<he::Scheme> scheme;  ///< BFV and BGV, if none is given; CKKS for reals alone
  he::Security security = he::Security::Bits128;
  double plain_bits = 20;         ///< log2 of the plain modulus
  unsigned scale_bits = 40;       ///< of reals: of the primes that products take
  double margin = 3;              ///< bits of noise that must be left
  bool is_hidden = false;         ///< results hide the server's numbers
  unsigned n_key_holders = 1;     ///< who flood what they decrypt, if they are several
  double link_megabits = 10'000;  ///< `ChoiceOptions::link_megabits`
};

/// Every scheme, ring of dimension 4096 to 32768 (of reals also 65536, where the others are not
/// deep enough) and number of primes that allows more depth than
/// fewer primes do, by increasing dimension. Costs are microseconds by `times`, for ciphertexts
/// with the primes that they have half-way, since primes are dropped as depth is consumed, and by
/// the link for what is sent. The model of noise says how many products of ciphertexts,
/// relinearised, can follow each other, or by plaintexts instead; sums and rotations add no noise
/// here.
auto possible_rings(const he::OperationTimes& times, const RingRequest& request)
    -> std::vector<Ring>;

/// The weights that Recto and Myers print (`schedule::published_rings`), for one scheme.
auto published_rings(he::Scheme scheme) -> std::vector<Ring>;

/// The weights of circuits in `rings[at]` with a price on depth: what another level of products
/// costs a circuit with these counts, as it needs more primes.
auto weights_with_depth(const std::vector<Ring>& rings, size_t at, const schedule::Counts& counts)
    -> circuit::Weights;

}  // namespace tacet::he_lower
