#pragma once

#include <cstdint>
#include <span>

#include "engine/cggi/objects.h"

namespace tacet::cggi {

/// Independent fair bits, each 0 or 1.
void sample_bits(SecureRandom& random, std::span<uint8_t> out);

/// Errors of (at least) the variance given in squared torus units, as words modulo 2^64: each is
/// the sum of eight uniform numbers of w = sqrt(3/2 variance 2^128 + 1) consecutive integers around
/// zero. No branch and no address depends on what is drawn. A variance of zero gives zeros.
void sample_errors(SecureRandom& random, double variance, std::span<uint64_t> out);

/// The same for words modulo 2^32.
void sample_errors(SecureRandom& random, double variance, std::span<uint32_t> out);

/// Words of stream number `stream` of a seed, from its beginning.
void expand_words(const PublicSeed& seed, uint64_t stream, std::span<uint64_t> out, Isa isa);
void expand_words(const PublicSeed& seed, uint64_t stream, std::span<uint32_t> out, Isa isa);

}  // namespace tacet::cggi
