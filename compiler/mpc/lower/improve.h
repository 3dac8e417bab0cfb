#pragma once

#include "compiler/mpc/lower/fixed_ranges.h"
#include "engine/program/mpc/program.h"

/// What is changed in a whole program once it is written.
namespace tacet::mpc_lower {

/// Peephole: int-times-fixed
///
/// `mul (cast x), y` with an integer x and fixed-point y is `mul x, y`: the machine multiplies
/// without lift and truncation, if the lifted number has room. So it does with constants that are
/// whole.
///
/// Before:                                 After:
///   l: secret fxp = cast n                  p: secret fxp = mul n, y
///   p: secret fxp = mul l, y
///
/// Peephole: sum-of-products
///
/// A sum of products along one dimension is `dot`, or `matmul` where the factors have no other
/// dimension in common: less is sent, and fixed point is truncated once, if a quarter of the ring
/// holds the sum. A choice between numbers and 0 counts as a product with 0 or 1.
///
/// Before:                                 After:
///   u: secret i64[8, 9, 4] = view a […]     …  = matmul a, b
///   v: secret i64[8, 9, 4] = view b […]
///   p: secret i64[8, 9, 4] = mul u, v
///   s: secret i64[8, 9] = sum p [2]
///
/// Peephole: one-truncation
///
/// Sums and differences of fixed-point products are computed with all fraction bits and truncated
/// once, if a quarter of 2^64 holds them.
///
/// Before:                                 After:
///   p: secret fxp = mul a, b                p: secret fxp<36> = mul_wide a, b
///   q: secret fxp = mul c, d                q: secret fxp<36> = mul_wide c, d
///   s: secret fxp = add p, q                t: secret fxp<36> = add p, q
///                                           s: secret fxp = cast t
///
/// Then unused operations are removed. `ranges` are those of the program. Gives whether sums of
/// products were left as they were because this ring is too small for them and one of 128 bits is
/// not. O(size of the program).
enum class RingIs : bool { LargeEnough, TooSmall };
auto improve(engine::MpcProgram& program, const FixedRanges& ranges) -> RingIs;

/// Lets a `place` write to the variable that alone gets its result, so that the machine need not
/// keep the array as it was: `u = place t, at, x` and `t = copy u` behind it are `t = place t, at,
/// x`, if nothing between them uses t or is control. O(size of the program · the distance of the
/// two).
void place_in_place(engine::MpcProgram& program);

/// Leaves out instructions without effect whose results no instruction with effect needs, and loops
/// and branches that are empty then. What may fail has an effect.
void remove_unused(engine::MpcProgram& program);

}  // namespace tacet::mpc_lower
