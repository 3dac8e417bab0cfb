#pragma once

#include <string>

#include "base/result.h"
#include "compiler/he/circuit/circuit.h"

namespace tacet::picture {

/// Larger circuits are no pictures.
inline constexpr size_t kMostNodes = 300;

/// A circuit, from its inputs at the top down to its outputs: a box for each node, an edge from
/// each operand, solid for ciphertexts and dashed for plaintexts. Colours distinguish inputs,
/// rotations, sums, products of ciphertexts and with plaintexts. An error if it is too large.
auto circuit_picture(const circuit::Circuit& circuit) -> Result<std::string>;

}  // namespace tacet::picture
