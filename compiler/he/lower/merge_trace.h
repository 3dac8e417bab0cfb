#pragma once

#include "compiler/he/lower/trace.h"

namespace tacet::he_lower {

/// The trace with what no simulation can distinguish listed once, with a count: inputs of one
/// group, and steps of one statement on operands that are alike. Times, noise and numbers of primes
/// come out the same; which value is which does not matter then. Iterations of a loop that do not
/// need each other are one. O(steps), but for a logarithm.
auto merged(const Trace& trace) -> Trace;

}  // namespace tacet::he_lower
