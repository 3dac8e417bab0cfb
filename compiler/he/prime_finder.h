#pragma once

#include <map>
#include <vector>

#include "compiler/he/levels.h"

namespace tacet::encrypted {

/// Finds the primes that the engine will find for some sizes.
class PrimeFinder {
 public:
  /// Primes that are 1 modulo 2N, other than the plain modulus; 0 for none.
  PrimeFinder(size_t ring_dimension, uint64_t plain_modulus);

  /// Fills in the sizes of a setting; false if there are not as many primes.
  auto find(Setting& setting) -> bool;

 private:
  auto of_bits(unsigned bits) -> const std::vector<double>&;

  uint64_t step_;
  std::vector<uint64_t> taken_;
  std::map<unsigned, std::vector<double>> sizes_;
};

}  // namespace tacet::encrypted
