#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/mpc/fixed_ranges.h"
#include "compiler/mpc/lower.h"
#include "engine/program/mpc_program.h"

/// Private to this folder: fixed point in rings that have room for it.
namespace tacet::secret_shared {

/// What is told of an instruction: where it comes from, as instructions carry it.
struct FixedFinding {
  Severity severity = Severity::Error;
  uint32_t line = 0;  ///< of the instruction; 0: the whole program
  std::string message;
  std::string note;
};

/// Pass: fit-fixed-point
///
/// Improves a program (`improve.h`) and chooses the ring of its fixed point. A product has twice
/// the bits behind the point before it is truncated, and a quarter of the ring has to hold it:
///
///   * modulo 2^64 if ranges show that all products, sums of products, quotients and arguments of
///     functions have that room;
///   * else modulo 2^128, which has it for whatever two numbers of 64 bits multiply to. What may
///     have left its 64 bits there is brought back (`wrap`) before it is multiplied, divided,
///     compared for the least, or given to a function, so that it is what it is on `ref`; quotients
///     that may be larger than a number are `div_wide`.
///
/// Before:                                After, in a ring of 128 bits:
///   s: secret fxp = add a, b               s: secret fxp = add a, b
///   p: secret fxp = mul s, s               t: secret fxp = wrap s
///                                          p: secret fxp = mul t, t
///
/// With probabilistic truncation the ring is the one in which the whole program fails with
/// probability 2^-40 at most; if there is none, that is a finding. The others are of results that
/// leave their type whatever the inputs are, which is an error, or may do so. O(size of the
/// program).
auto fit_fixed_point(engine::MpcProgram& program, const FixedRanges::Bounds& bounds,
                     const LowerOptions& options) -> std::vector<FixedFinding>;

}  // namespace tacet::secret_shared
