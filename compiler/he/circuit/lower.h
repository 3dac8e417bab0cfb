#pragma once

#include "base/result.h"
#include "compiler/he/circuit/circuit.h"
#include "compiler/he/circuit/relinearise.h"

namespace tacet::circuit {

struct LowerOptions {
  uint64_t modulus = 65537;  ///< of the slots, if they are integers
  uint32_t n_primes = 2;     ///< of fresh ciphertexts
  /// Sums over at least so many values are balanced trees, which can be evaluated side by side and
  /// need all values at once; others accumulate in place. Products are always trees.
  int64_t tree_extent = 256;
  Relinearisation relinearisation = Relinearisation::Fewest;
};

/// Pass: lower
///
/// A valid circuit as a program of the engine: loop nests with registers.
///
///   * Each node is computed once for each value of the loops that it depends on (`places.h`).
///   * What depends on nothing secret is computed in plaintext, and encoded, once, where it meets a
///     ciphertext. A product by -1 is a negation.
///   * Relinearisations are as few as possible, unless requested otherwise (`relinearise.h`).
///   * The first value of a sum is not added to anything, so its code precedes the loop.
///   * Elements of families and results that a table names are copied into an array that is named
///     by the table's index. Copies cost nothing when the program is run.
///   * Unused families are left out.
///   * A result that depends on nothing secret is added to an encryption of zero, which the client
///     makes.
///
/// Outputs keep their names, all other names may get a number. No prime is dropped. The error is
/// that of `engine::validate`, which checks the result: a circuit may be too large. Programs of
/// reals become valid when they are rescaled, and are checked then.
auto lower(const Circuit& circuit, const LowerOptions& options = {}) -> Result<engine::HeProgram>;

}  // namespace tacet::circuit
