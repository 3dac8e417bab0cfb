#pragma once

#include "compiler/he/lower/levels.h"

namespace tacet::he_lower {

/// The program with these numbers of primes: inputs are encrypted with those of their group,
/// results are dropped in place, and operands that have too many go through registers of their own.
auto with_drops(const engine::HeProgram& program, const Trace& trace, const Levels& levels)
    -> engine::HeProgram;

}  // namespace tacet::he_lower
