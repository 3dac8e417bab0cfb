#pragma once

#include "compiler/mpc/lower/fixed_ranges.h"
#include "engine/program/mpc/program.h"

/// Private to this folder: fixed point in a ring that is wider than its 64 bits.
namespace tacet::mpc_lower {

/// Brings back to 64 bits (`wrap`) what may have left them and is then multiplied, divided,
/// compared for the least, or given to a function. Quotients that may be larger than a number are
/// `div_wide`, and products of many numbers that wrap in between are computed one by one. `ranges`
/// are those of the program modulo 2^128.
///
/// Before:                                After:
///   s: secret fxp = add a, b               s: secret fxp = add a, b
///   p: secret fxp = mul s, s               t: secret fxp = wrap s
///                                          p: secret fxp = mul t, t
void wrap_fixed_point(engine::MpcProgram& program, const FixedRanges& ranges);

/// The same of results, for programs that take them.
void wrap_results(engine::MpcProgram& program, const FixedRanges& ranges);

}  // namespace tacet::mpc_lower
