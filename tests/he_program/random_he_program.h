#pragma once

#include <random>

#include "engine/program/he/gather.h"

namespace tacet::engine {

/// What random programs may look like.
struct RandomHeOptions {
  uint32_t n_columns = 512;
  uint64_t modulus = 65537;
  uint32_t scale_bits = 0;  ///< of reals; 0 for integers modulo `modulus`
  uint32_t n_primes = 4;
  uint32_t max_depth = 2;  ///< products of ciphertexts
  size_t n_statements = 14;
  bool has_sums = true;  ///< some outputs are sums of slots
};

/// A valid program whose outputs are all slots of all ciphers that it leaves behind, or sums of
/// them; of reals, of those whose primes suffice for their scale.
auto random_he_program(std::mt19937_64& random, const RandomHeOptions& options) -> HeProgram;

/// Numbers for all its inputs.
auto random_he_values(std::mt19937_64& random, const HeProgram& program) -> HeValues;

}  // namespace tacet::engine
