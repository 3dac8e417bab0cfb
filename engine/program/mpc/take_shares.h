#pragma once

#include "engine/program/mpc/program.h"

namespace tacet::engine {

/// A result that a program has as an input, and that the parties get as shares of the integers
/// modulo `modulus` instead.
struct MpcSharedResult {
  uint32_t input = 0;    ///< of the program: secret integers, or truth values that are 0 or 1
  std::string output{};  ///< of the homomorphic program
  uint64_t modulus = 0;  ///< odd, at most 2^49
};

/// A hand-over whose results are inputs of a program still.
struct MpcJointCall {
  MpcHandOver hand_over{};  ///< its results are filled in
  std::vector<MpcSharedResult> results{};
};

/// The program that takes shares in place of the results: the first `n_holders` of its parties each
/// give one, and the program makes numbers of them. The inputs that results are must be the last
/// ones, in the order of the calls.
///
/// Shares r_0, r_1, … of [0, t) are of the number v = sum r_i - m t near zero, |v| <= h for
/// h = (t - 1) / 2. As 0 <= sum r_i < n t, m is the number of k = 1 … n for which
/// sum r_i + h >= k t: the sum is compared with n public numbers at once. Exact for all v; nothing
/// is opened. Integers of up to 32 bits are computed in the ring of these where n t fits.
auto take_shares(MpcProgram program, std::vector<MpcJointCall> calls, uint32_t n_holders)
    -> MpcProgram;

}  // namespace tacet::engine
