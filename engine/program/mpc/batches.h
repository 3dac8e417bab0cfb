#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/program/mpc/program.h"

/// Which instructions run together, when several of a program's become ready in one round: a kernel
/// costs parties far more than one element more in it.
namespace tacet::engine {

/// Instructions of a run that have begun and not ended: more wait until there are fewer.
constexpr size_t kMostMpcInFlight = size_t{1} << 17;

/// Batches by instruction. Those of one batch have the same operation, types but for extents, and
/// line; the elements of all are computed as one array.
struct MpcBatches {
  static constexpr uint32_t kNone = UINT32_MAX;

  std::vector<uint32_t> of{};  ///< `kNone` for what runs on its own
  /// Of a batch, and in which batch its truth value is made the number that it needs first.
  std::vector<uint32_t> numbers_of{};  ///< `kNone` if it needs none, or makes it by itself
  /// By batch: whether it sends nothing, so that it may run more than once in a round.
  std::vector<bool> is_local{};

  /// Does it wait for other parties, and run in a batch?
  [[nodiscard]] auto waits(size_t instruction) const -> bool {
    return of[instruction] != kNone && !is_local[of[instruction]];
  }
};

/// What waits for other parties runs in batches if it works element by element on few elements, and
/// its cost does not depend on public operands; what does not wait, if it has one element.
/// O(code · log).
auto find_batches(const MpcProgram& program) -> MpcBatches;

/// The operand whose truth values an instruction needs as numbers: a secret condition of numbers,
/// and what is cast to a number.
auto operand_needed_as_number(const MpcProgram& program, const MpcInstruction& instruction)
    -> std::optional<size_t>;

/// Does an instruction give the same secret as its operand, without doing anything?
auto is_same_secret(const MpcProgram& program, const MpcInstruction& instruction) -> bool;

}  // namespace tacet::engine
