#pragma once

#include <functional>

#include "compiler/he/circuit/counts.h"

namespace tacet::circuit {

struct RotationOptions {
  Weights weights;
  size_t max_rounds = 8;  ///< of improvements
  std::function<bool()> is_cancelled = {};
};

/// Pass: plan rotations
///
/// Makes rotations of whole loop nests cheaper, by `cost_of`: never more expensive than the input
/// circuit. Two methods, each tried wherever it applies, the best taken, until nothing improves:
///
///   * Baby steps and giant steps (Halevi and Shoup, Algorithms in HElib, CRYPTO 2014): a part of
///     the steps is done after the sum. The loop of the sum is split for it, into pairs of factors
///     of its extent, or nearly, with what is left over by itself, or stays whole and leaves the
///     smaller part to loops inside. Vectors known in plaintext are rotated in the opposite
///     direction, in plaintext.
///
///         sum(i: rot(x, i) * w[i])     sum(g: rot(sum(b: rot(x, b) * rot(w[4*g + b], -4*g)), 4*g))
///
///   * Fewer keys: steps are written with digits of a small base, balanced around zero, or of base
///     two without neighbours, and a rotation for each digit that is not zero. Pays if keys do.
auto plan_rotations(const Circuit& circuit, const RotationOptions& options) -> Circuit;

/// The circuit with each rotation of ciphertexts done digit by digit; `base` is a power of two.
/// Rotations by very many different steps stay what they are.
auto rotations_by_digits(const Circuit& circuit, int64_t base) -> Circuit;

/// The sum at `id` with steps * (its loop) of all rotations in it done after what it sums up, in a
/// loop that runs through it by `n_inner` values at a time. At most half of the extent; values that
/// are left over are summed up by themselves.
auto giant_steps(const Circuit& circuit, NodeId id, int64_t steps, int64_t n_inner) -> Circuit;

}  // namespace tacet::circuit
