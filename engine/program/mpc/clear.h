#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/program/mpc/flow.h"
#include "engine/random/rng_state.h"

/// MPC programs in plaintext: the oracle of the machine, and its evaluator of public values.
namespace tacet::engine {

using MpcCells = std::vector<Cell>;

/// A plaintext value.
struct MpcClear {
  MpcType type;
  MpcCells cells;

  friend auto operator==(const MpcClear&, const MpcClear&) -> bool = default;
};

/// The result of an instruction that is no control; `result.type` says which type it has. Where the
/// divisor is a secret, x / 0 is x and x % 0 is 0, and shifts go modulo the width.
///
/// Draws are made at places behind `place`, secret ones too.
///
/// Fixed point: products of all kinds are rounded down once; functions are those of
/// `engine/program/common/function.h`. `shuffle` leaves everything where it is.
auto compute(const MpcInstruction& instruction, std::span<const MpcClear* const> operands,
             MpcClear& result, const RngState& place = RngState(PublicRandomKey())) -> MpcRunFault;

/// Where a `view` with a result of `type` takes its elements from.
auto places_of_view(const MpcInstruction& view, const MpcType& type) -> std::vector<uint32_t>;

struct MpcClearRun {
  std::vector<MpcCells> outputs;  ///< empty after a fault
  MpcRunFault fault = MpcRunFault::None;
  size_t instruction = 0;  ///< which one failed
  uint64_t n_instructions = 0;
};

/// Runs a valid program on `inputs`, one for each.
auto run_in_the_clear(const MpcProgram& program, const std::vector<MpcCells>& inputs,
                      const PublicRandomKey& key = {}) -> MpcClearRun;

}  // namespace tacet::engine
