#pragma once

#include "compiler/mpc/lower/fixed_ranges.h"
#include "engine/program/mpc/program.h"

namespace tacet::mpc_lower {

/// States the range of the keys of sorts, where it takes fewer bits than their type: fewer are
/// compared.
///
/// Before:                                  After:
///   input a: secret i64[9]  (in 5..1000)
///   _1: secret i64[9] = sort a               _1: secret i64[9] = sort a [5, 10]
void bound_sorts(engine::MpcProgram& program, const FixedRanges& ranges);

}  // namespace tacet::mpc_lower
