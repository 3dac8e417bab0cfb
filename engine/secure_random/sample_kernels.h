#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu.h"

/// From random bytes to numbers, in blocks of a fixed size; one table an instruction set. Kernels
/// have no branch and no address that depends on what they read, but for `compact`, whose addresses
/// depend on `accepted`.
namespace tacet::secure_random {

constexpr size_t kTernaryBlock = 64;    ///< numbers, of as many bytes
constexpr size_t kBinomialBlock = 128;  ///< numbers
constexpr size_t kUniformBlock = 64;    ///< candidates

/// Five planes of a byte a number, and one whose bytes give two bits each to four numbers.
constexpr size_t kBinomialBlockBytes = 5 * kBinomialBlock + kBinomialBlock / 4;

struct SampleKernels {
  /// Writes `bytes[i] mod 3 - 1`. Bit `i` of the result: `bytes[i]` is 255.
  uint64_t (*ternary)(const std::byte* bytes, int8_t* out);

  /// Number `i` is the number of ones in the bytes `i`, `128 + i` … `512 + i` and in the two bits
  /// from bit `2 (i / 32)` of the byte `640 + i mod 32`, less 21.
  void (*binomial)(const std::byte* bytes, int8_t* out);

  /// Replaces `words[i]` by `words[i] & mask`. Bit `i` of the result: that is below `modulus`.
  /// `mask` is below 2^63.
  uint64_t (*mask_and_compare)(uint64_t* words, uint64_t mask, uint64_t modulus);

  /// Copies the words whose bit in `accepted` is set, in order; returns how many they are. `out`
  /// may be `words` or lie before it.
  size_t (*compact)(const uint64_t* words, uint64_t accepted, uint64_t* out);

  /// `out[i] = values[i]`, plus `modulus` if that is negative.
  void (*lift)(const int8_t* values, size_t n, uint64_t modulus, uint64_t* out);
};

auto scalar_sample_kernels() -> const SampleKernels&;
/// Those of `scalar_sample_kernels` where the build's target has no AVX2.
auto avx2_sample_kernels() -> const SampleKernels&;

/// The table for `isa`.
auto sample_kernels(Isa isa) -> const SampleKernels&;

}  // namespace tacet::secure_random
