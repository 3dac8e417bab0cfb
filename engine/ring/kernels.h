#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/cpu.h"
#include "engine/ring/modulus.h"
#include "engine/ring/ntt_tables.h"

namespace tacet::ring {

/// A permutation of a row that takes each block of eight words from one block.
struct BlockPermutation {
  /// For each block, eight times the number of the block that its words come from, and which order
  /// they come in.
  std::vector<uint32_t> sources;
  alignas(64) uint64_t orders[8][8] = {};  ///< where each word was in its block
};

/// The inner loops of the ring, one table per instruction set; all give the same words.
///
/// Rows are `n` residues, `n` a multiple of eight, 64-byte aligned. Unless said otherwise operands
/// and results are reduced modulo `q`, and a result may stand where an operand stood, but not
/// partly. Sums have at most 1024 terms. No loop's path or addresses depend on values.
struct Kernels {
  Isa isa{};

  /// In place; see `NttTables`. O(n log n).
  void (*forward_ntt)(uint64_t* x, const NttTables& tables) = nullptr;
  void (*inverse_ntt)(uint64_t* x, const NttTables& tables) = nullptr;

  void (*add)(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n,
              const Modulus& q) = nullptr;
  void (*subtract)(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n,
                   const Modulus& q) = nullptr;
  void (*negate)(uint64_t* out, const uint64_t* a, size_t n, const Modulus& q) = nullptr;
  void (*multiply)(uint64_t* out, const uint64_t* a, const uint64_t* b, size_t n,
                   const Modulus& q) = nullptr;
  /// out = a b + c
  void (*multiply_add)(uint64_t* out, const uint64_t* a, const uint64_t* b, const uint64_t* c,
                       size_t n, const Modulus& q) = nullptr;
  /// out = c a for words `a` below 2^50, reduced modulo q or not.
  void (*multiply_constant)(uint64_t* out, const uint64_t* a, uint64_t c, size_t n,
                            const Modulus& q) = nullptr;
  /// out = c (a - b)
  void (*subtract_multiply)(uint64_t* out, const uint64_t* a, const uint64_t* b, uint64_t c,
                            size_t n, const Modulus& q) = nullptr;
  /// The product of two polynomials of degree one over the ring:
  /// out = (a0 b0, a0 b1 + a1 b0, a1 b1).
  void (*tensor)(uint64_t* const* out, const uint64_t* const* a, const uint64_t* const* b, size_t n,
                 const Modulus& q) = nullptr;
  /// out = constants[0] terms[0] + … for words below 2^50, reduced modulo q or not.
  void (*combine)(uint64_t* out, const uint64_t* const* terms, const uint64_t* constants,
                  size_t n_terms, size_t n, const Modulus& q) = nullptr;
  /// out0 = a[0] b0[0] + …, out1 = a[0] b1[0] + …
  void (*inner_products)(uint64_t* out0, uint64_t* out1, const uint64_t* const* a,
                         const uint64_t* const* b0, const uint64_t* const* b1, size_t n_terms,
                         size_t n, const Modulus& q) = nullptr;
  /// The representative in (-p/2, p/2] of each `a` modulo `p`, modulo `q`.
  void (*change_modulus)(uint64_t* out, const uint64_t* a, size_t n, const Modulus& p,
                         const Modulus& q) = nullptr;
  /// out = round(a[0] inverses[0] + …), computed in doubles in this order, ties to even: how often
  /// the product of a base's primes is to be taken from a sum over the base. `a` below 2^50.
  void (*round_sum)(uint64_t* out, const uint64_t* const* a, const double* inverses, size_t n_terms,
                    size_t n) = nullptr;
  /// `out` must not be `in`.
  void (*permute)(uint64_t* out, const uint64_t* in, const BlockPermutation& permutation) = nullptr;
};

/// The kernels for `isa`, which this processor must have.
auto kernels_for(Isa isa) -> const Kernels&;

// Where they are defined.
void permute_words(uint64_t* out, const uint64_t* in, const BlockPermutation& permutation);
auto scalar_kernels() -> const Kernels&;
auto scalar_root(uint64_t root, const Modulus& q) -> RootWords;
auto avx2_kernels() -> const Kernels&;
auto avx512_kernels() -> const Kernels&;

}  // namespace tacet::ring
