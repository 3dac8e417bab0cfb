#pragma once

#include <vector>

#include "compiler/mpc/lower/fixed_findings.h"
#include "compiler/mpc/lower/fixed_ranges.h"
#include "compiler/mpc/lower/lower.h"
#include "engine/program/mpc/program.h"

/// Private to this folder: fixed point in rings that are large enough.
namespace tacet::mpc_lower {

/// Pass: fit-fixed-point
///
/// Improves a program (`improve.h`) and chooses the ring of its fixed point. A product has twice
/// the bits behind the point before it is truncated, and a quarter of the ring has to hold it:
///
///   * modulo 2^64 if ranges show that all products, sums of products, quotients and arguments of
///     functions have that room;
///   * else modulo 2^128, which has it for whatever two numbers of 64 bits multiply to; what may
///     have left its 64 bits there wraps as on `ref` (`wrap_fixed_point.h`).
///
/// With probabilistic truncation the ring is the one in which the whole program fails with
/// probability 2^-40 at most; if there is none, that is a finding. The others are of results that
/// leave their type whatever the inputs are, which is an error, or may do so. O(size of the
/// program).
auto fit_fixed_point(engine::MpcProgram& program, const FixedRanges::Bounds& bounds,
                     const LowerOptions& options) -> std::vector<FixedFinding>;

}  // namespace tacet::mpc_lower
