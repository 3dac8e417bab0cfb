#pragma once

#include "engine/program/he/gather.h"

namespace tacet::engine {

/// Whole numbers of arrays by their names, row-major.
using HeIntegers = std::map<std::string, std::vector<int64_t>>;

/// The numbers near zero of the same classes modulo `modulus`, which doubles hold exactly.
auto residues_of(const HeIntegers& integers, uint64_t modulus) -> HeValues;

/// The numbers near zero that are the given ones modulo each of the moduli: what several programs,
/// each modulo a prime of its own, have computed together. The moduli are different primes, and
/// their product is below 2^126. Each result is of the programs that have it. Results that do not
/// fit 64 bits with a sign are taken modulo 2^64.
auto combine_residues(const std::vector<HeValues>& residues, const std::vector<uint64_t>& moduli)
    -> HeIntegers;

}  // namespace tacet::engine
