#pragma once

#include "compiler/he/circuit/circuit.h"

namespace tacet::circuit {

/// Pass: hoist clear circuits
///
/// What depends on nothing secret becomes a statement of its own where it meets a ciphertext: it is
/// computed in the clear, once for each value of the loops that it depends on, and can be seen.
/// Maximal such sub-circuits are taken; what stands there already (families, results, numbers)
/// stays. Each new statement stands before the first one that needs it.
///
/// Before:                             After:
///   y = x * (w[0] * w[1] + 1)           clear = w[0] * w[1] + 1
///                                       y = x * clear
auto hoist_clear(const Circuit& circuit) -> Circuit;

}  // namespace tacet::circuit
