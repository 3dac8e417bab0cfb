#pragma once

#include "compiler/he/circuit/circuit.h"

namespace tacet::circuit {

/// Pass: fold-factors
///
/// A number times a sum of products with plaintexts becomes part of the plaintexts, which saves a
/// level: of reals each product with a plaintext takes one. Where the sum has other uses it is left
/// alone.
///
/// Before:                                    After:
///   fraction * sum(i: rot(x, i) * mask[i])     sum(i: rot(x, i) * (mask[i] * fraction))
///
/// Linear in the nodes.
auto fold_factors(const Circuit& circuit) -> Circuit;

}  // namespace tacet::circuit
