#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu.h"

/// Words as they are stored: each takes some bits and no more, word i the bits from i · bits on, of
/// bytes whose least significant bit is the first. Eight words take `bits` bytes.
namespace tacet::ring {

/// The most bits that a word of a packed row may have: with the bits before it in its first byte,
/// they are those of one word of memory.
constexpr unsigned kMaxPackedBits = 57;

/// One table per instruction set; all give the same bytes and words. `n`, a multiple of eight, is
/// how many words there are, `bits`, from 1 to `kMaxPackedBits`, how many each takes; bytes behind
/// the n · bits / 8 that are packed are neither read nor written. O(n). No loop's path or addresses
/// depend on words.
struct PackingKernels {
  /// Words below 2^bits.
  void (*pack)(const uint64_t* words, size_t n, unsigned bits, std::byte* out) = nullptr;
  /// Whether all words are below `bound`, which is at most 2^bits, as a word: zero if they are, and
  /// any other number if not.
  auto(*unpack)(const std::byte* in, size_t n, unsigned bits, uint64_t bound, uint64_t* words)
      -> uint64_t = nullptr;
};

/// The kernels for `isa`, which this processor must have.
auto packing_kernels(Isa isa) -> const PackingKernels&;

// Where they are defined.
auto scalar_packing() -> const PackingKernels&;
auto avx2_packing() -> const PackingKernels&;
auto avx512_packing() -> const PackingKernels&;

}  // namespace tacet::ring
