#pragma once

#include <functional>
#include <vector>

#include "compiler/he/circuit/counts.h"
#include "compiler/he/lower/choose_encryption.h"

/// The memory of keys, which the server has all of at once.
namespace tacet::he_lower {

/// Bytes of a key for so many data primes and special ones.
auto key_bytes(size_t ring_dimension, size_t n_primes, size_t n_special) -> double;
/// Of the keys that bootstrapping needs, with so many data primes in all; those for few primes do
/// not count.
auto bootstrapping_key_bytes(size_t ring_dimension, size_t n_primes, size_t n_special) -> double;

/// Bytes of the keys that a program needs: two polynomials for each digit, with the data primes of
/// what is rotated or relinearised and the special ones. Linear in its unrolled instructions.
auto key_bytes(const Encryption& encryption) -> double;
auto key_bytes(const std::vector<Encryption>& parts) -> double;

/// What a circuit was encrypted as.
struct EncryptedCircuit {
  circuit::Circuit circuit;
  std::vector<Encryption> parts;
};

/// A circuit whose keys take at most so many bytes, as rotations of few different steps follow one
/// another in it (`circuit::rotations_by_digits`): of the bases of digits that promise to fit, the
/// one that costs least. As it is if its keys fit. If none fits, the one with the fewest keys.
/// `encrypt` is called for one base after another until the keys fit.
auto within_key_bytes(
    EncryptedCircuit encrypted, double most_bytes, const circuit::Weights& weights,
    const std::function<Result<std::vector<Encryption>>(const circuit::Circuit&)>& encrypt)
    -> EncryptedCircuit;

}  // namespace tacet::he_lower
