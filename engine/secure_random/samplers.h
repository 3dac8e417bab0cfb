#pragma once

#include <cstdint>
#include <span>

#include "base/cpu.h"
#include "engine/secure_random/random_stream.h"
#include "engine/secure_random/secure_random.h"

/// The distributions of lattice cryptography. Each sampler is exact, and for the same random bytes
/// writes the same numbers whatever `isa` is.
///
/// None has a branch or an address that depends on the numbers drawn. What the time does depend on
/// is how many candidates were rejected and which; as a rejected candidate is replaced by one that
/// is independent of it, the numbers given out are independent of that.
namespace tacet::secure_random {

/// Bits of each of the two sums of `sample_binomial`.
constexpr int kBinomialBits = 21;
/// The variance of `sample_binomial`; the standard deviation is 3.24, where the guidelines have a
/// Gaussian of 3.19 or 3.2.
constexpr double kBinomialVariance = kBinomialBits / 2.0;
/// The largest magnitude that `sample_binomial` gives.
constexpr int kBinomialBound = kBinomialBits;

/// Each of -1, 0 and 1 with probability 1/3: secret keys.
///
/// A byte below 255 gives its remainder modulo 3, as 255 = 3 · 85; the byte 255 is rejected.
void sample_ternary(SecureRandom& random, std::span<int8_t> out, Isa isa);

/// The centred binomial distribution: the sum of 21 bits less the sum of 21 others. Errors.
///
/// As a bit and its complement are equally likely, it is computed as the number of ones among
/// 42 bits, less 21. 5.25 bytes a number.
void sample_binomial(SecureRandom& random, std::span<int8_t> out, Isa isa);

/// The largest modulus of `sample_uniform`.
constexpr uint64_t kMaxUniformModulus = uint64_t{1} << 62;

/// Numbers of `0 … modulus - 1`, each as likely as any other; `modulus` is not zero.
///
/// Part of the format of stored objects: a candidate is the next word of the stream (eight bytes,
/// least significant first) cut down to the bits of `modulus - 1`; those below `modulus` are taken,
/// in order. Nothing behind the last one taken is consumed. Moduli a little below a power of two
/// reject little, those a little above one reject half.
///
/// Of a `SecureRandom`, the numbers depend on how the words are requested, which is not part of any
/// format.
void sample_uniform(RandomStream& stream, uint64_t modulus, std::span<uint64_t> out, Isa isa);

/// Writes `values` as residues modulo `modulus`: a negative one plus the modulus. `modulus` is not
/// less than any value's magnitude.
void lift_signed(std::span<const int8_t> values, uint64_t modulus, std::span<uint64_t> out,
                 Isa isa);

}  // namespace tacet::secure_random
