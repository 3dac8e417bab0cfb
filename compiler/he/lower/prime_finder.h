#pragma once

#include <map>
#include <optional>
#include <vector>

#include "compiler/he/lower/levels.h"
#include "engine/he_model/level_primes.h"

namespace tacet::he_lower {

/// Finds the primes that the engine will find for some sizes, one by one: few of most sizes are
/// needed, and the search for primes dominates the time.
class PrimeFinder {
 public:
  /// Primes that are 1 modulo 2N, other than the plain modulus; 0 for none.
  PrimeFinder(size_t ring_dimension, uint64_t plain_modulus);

  /// Fills in the sizes of a setting; false if there are not as many primes.
  auto find(Setting& setting) -> bool;

 private:
  /// The largest primes of a size so far, as logarithms, and the last of them.
  struct Found {
    std::vector<double> sizes;
    uint64_t last = 0;  ///< 2^bits if there is none so far, 0 if there are no more
  };

  auto size_of(unsigned bits, size_t at) -> std::optional<double>;
  auto find_levels(Setting& setting) -> bool;

  uint64_t step_;
  std::vector<uint64_t> taken_;
  std::map<unsigned, Found> found_;             ///< by bits
  std::map<unsigned, he::LevelPrimes> levels_;  ///< likewise, of CKKS
};

}  // namespace tacet::he_lower
