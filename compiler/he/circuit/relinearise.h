#pragma once

#include "compiler/he/circuit/node_facts.h"

namespace tacet::circuit {

/// How relinearisations are placed. All but the first are there to be compared with.
enum class Relinearisation : uint8_t {
  Fewest,  ///< as few as can be
  Lazy,    ///< where a value is first used that must have degree one
  Eager,   ///< behind every product
};

/// Pass: place relinearisations
///
/// A product of ciphertexts has degree two, as has what is added to one. Factors and what is
/// rotated must have degree one; all else may stay as it is. Says, by node, whether its value is
/// relinearised once it is computed, so that as few relinearisations are done as can be, counted
/// for all values of loops. Products over a loop relinearise between their levels, which is not
/// modelled here.
///
/// The engine takes operands of different degrees, and no ciphertext of a degree above two, so this
/// is `relinearise::place_by_cut`. Without primes there is one price for all; where they are known,
/// placements are weighed again (`compiler/he/lower`).
///
/// Before:                               After:
///   a * b + c * d; rotate it              relinearise the sum alone
auto place_relinearisations(const Circuit& circuit, const NodeFacts& facts,
                            Relinearisation how = Relinearisation::Fewest) -> std::vector<bool>;

}  // namespace tacet::circuit
