#pragma once

#include "base/result.h"
#include "engine/he/evaluation.h"

/// Ciphertexts times the product of the special primes, modulo the first data primes and the
/// special ones: what key switching makes before it divides. Sums of rotations, and of products of
/// such with plaintexts, are divided once ("double hoisting": Bossuat, Mouchet, Troncoso-Pastoriza
/// and Hubaux, "Efficient Bootstrapping for Approximate Homomorphic Encryption with Non-Sparse
/// Keys", IACR ePrint 2020/1203, section 4).
namespace tacet::he {

/// Of degree one: rows of data primes, then of the special ones.
struct ExtendedCiphertext {
  Rows parts[2];
};

/// A rotation of what was hoisted; the ciphertext itself for the element 1. An error if there is no
/// key, here and below. O(d k n).
auto rotate_extended(const Context& context, const HoistedCiphertext& a, uint64_t galois_element,
                     const RotationKeys& keys) -> Result<ExtendedCiphertext>;

/// Of one over `m` data primes. O(d k n log n): one of its parts is divided.
auto rotate_extended(const Context& context, ExtendedCiphertext a, size_t m,
                     uint64_t galois_element, const RotationKeys& keys)
    -> Result<ExtendedCiphertext>;

void add_extended(const Context& context, ExtendedCiphertext& a, const ExtendedCiphertext& b,
                  size_t m);

/// Divided by the special primes. O(k n log n).
auto divided(const Context& context, ExtendedCiphertext a, size_t m, CiphertextMetadata metadata)
    -> Ciphertext;

}  // namespace tacet::he
