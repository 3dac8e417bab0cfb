#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/cpu.h"
#include "engine/ring/aligned.h"
#include "engine/ring/modulus.h"

namespace tacet::ring {

inline constexpr size_t kMinDimension = 64;
inline constexpr size_t kMaxDimension = size_t{1} << 17;

/// How a kernel keeps a root: words whose meaning is its own.
struct RootWords {
  uint64_t root = 0;
  uint64_t quotient = 0;
};

/// The roots of unity of one prime, as the kernels of one instruction set want them: a root and
/// its quotient by q, each a word whose meaning is the kernel's.
struct RootTable {
  AlignedWords roots;
  AlignedWords quotients;
  /// Of `Isa::Avx512Ifma` alone, whose tables above end before node N/8: the roots inside of blocks
  /// of 64 words, seven times eight roots and eight quotients a block, a lane for each eight words.
  /// The k-th roots are those of the nodes that are to these words' nodes as node k is to node 1.
  AlignedWords inside;
};

/// What the transform of Z_q[X]/(X^N + 1) needs: q is a prime that is 1 modulo 2N.
///
/// The transform evaluates at the odd powers of a primitive 2N-th root ψ, the least one:
/// position k of a transformed polynomial is its value at ψ^(2 r(k) + 1), r reversing the log N
/// bits of k. The splitting of X^N + 1 is a binary tree with node 1 as its root and 2k, 2k + 1
/// below node k; `forward` and `inverse` are indexed by node (Longa and Naehrig, "Speeding up the
/// number theoretic transform", algorithms 1 and 2).
struct NttTables {
  NttTables(size_t dimension, const Modulus& q, Isa isa);

  size_t dimension = 0;
  Modulus modulus;
  Isa isa{};
  RootTable forward;
  /// Of node 1 the root is multiplied by 1/N.
  RootTable inverse;
  /// 1/N and its quotient.
  uint64_t scale = 0, scale_quotient = 0;
};

/// The lowest `n_bits` bits of `x`, reversed.
auto reverse_bits(uint64_t x, unsigned n_bits) -> uint64_t;

}  // namespace tacet::ring
