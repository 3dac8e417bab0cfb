#pragma once

#include <optional>
#include <vector>

#include "engine/program/mpc_program.h"

/// Where control goes in MPC programs: the same for everything that runs them.
namespace tacet::engine {

/// For each instruction of a valid program where its braces lead: from `if` to its `else` or end,
/// from `else`, `for` and `loop` to their ends, from an end to what began there, from `break` and
/// `continue` to their loops.
auto find_targets(const MpcProgram& program) -> std::vector<size_t>;

/// What is wrong with public values when a program runs.
enum class MpcRunFault : uint8_t {
  None,
  DivisionByZero,
  ShiftOutOfRange,
  PlaceOutside,  ///< of a `place`
  BadStep,
};

auto fault_text(MpcRunFault fault) -> std::string_view;

/// A `for` while it runs.
class MpcCounter {
 public:
  /// Cells of the operands, in order.
  MpcCounter(const MpcProgram& program, const MpcInstruction& loop,
             const std::vector<Cell>& bounds);

  [[nodiscard]] auto fault() const -> MpcRunFault { return fault_; }
  /// Is there another turn?
  [[nodiscard]] auto goes_on() const -> bool;
  [[nodiscard]] auto at() const -> Cell { return at_; }
  void next();

 private:
  ElementType element_;
  Cell at_ = 0;
  Cell upper_ = 0;
  Cell step_ = 1;
  std::optional<Cell> max_;
  ElementType type_of_max_{};
  uint64_t n_turns_ = 0;
  bool is_over_ = false;
  MpcRunFault fault_ = MpcRunFault::None;
};

}  // namespace tacet::engine
