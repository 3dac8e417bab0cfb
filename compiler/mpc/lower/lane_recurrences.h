#pragma once

#include "compiler/mpc/lower/lowerer.h"

/// Recurrences (`recurrences.h`) along the innermost lane. Private to this folder.
namespace tacet::mpc_lower {

/// Does the assignment carry a variable from iteration to iteration of the loop whose lane is the
/// innermost one? Then does it: the variable holds its value after each iteration, or after the
/// last one if nobody reads the others.
///
/// s = a s + b: pairs (a, b) are composed, (c, d) behind (a, b) to (c a, c b + d), in a tree, or
/// for all iterations by Sklansky's prefix circuit (Sklansky, *Conditional-sum addition logic*,
/// 1960): log2 n steps, with n products of two in a tree and n log2 n in the circuit.
///
/// if x > k { k = x; p = y; }: of two iterations the later one counts if its x is before the
/// other's, in a tree.
auto carry(Lowerer& lowerer, const kernel::Assign& assign) -> bool;

}  // namespace tacet::mpc_lower
