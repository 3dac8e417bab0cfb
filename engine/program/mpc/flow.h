#pragma once

#include <optional>
#include <vector>

#include "engine/program/mpc/program.h"

/// Where control goes in MPC programs: the same for everything that runs them.
namespace tacet::engine {

/// For each instruction of a valid program where its braces lead: from `if` to its `else` or end,
/// from `else`, `for` and `loop` to their ends, from an end to what began there, from `break` and
/// `continue` to their loops.
auto find_targets(const MpcProgram& program) -> std::vector<size_t>;

/// For each `else` and end of a valid program the `if`, `for` or `loop` that it belongs to;
/// `SIZE_MAX` for all other instructions.
auto find_branches(const MpcProgram& program) -> std::vector<size_t>;

/// What is wrong with public values when a program runs.
enum class MpcRunFault : uint8_t {
  None,
  DivisionByZero,
  ShiftOutOfRange,
  PlaceOutside,  ///< of a `place`
  BadStep,
  EmptyDraw,  ///< there is no integer to draw
  WideDraw,   ///< the numbers to draw a secret from are more than 2^56
};

auto fault_text(MpcRunFault fault) -> std::string_view;

/// A `for` while it runs.
class MpcCounter {
 public:
  /// Cells of the operands, in order.
  MpcCounter(const MpcProgram& program, const MpcInstruction& loop,
             const std::vector<Cell>& bounds);

  [[nodiscard]] auto fault() const -> MpcRunFault { return fault_; }
  /// Is there another iteration?
  [[nodiscard]] auto continues() const -> bool;
  [[nodiscard]] auto at() const -> Cell { return at_; }
  void next();

 private:
  ElementType element_;
  Cell at_ = 0;
  Cell upper_ = 0;
  Cell step_ = 1;
  std::optional<Cell> max_;
  ElementType type_of_max_{};
  uint64_t n_iterations_ = 0;
  bool is_over_ = false;
  MpcRunFault fault_ = MpcRunFault::None;
};

/// What comes behind an instruction of control.
struct MpcStep {
  /// A loop that starts an iteration: its register and its counter.
  struct Counter {
    MpcRegisterId reg;
    Cell value = 0;
  };

  size_t next = 0;  ///< the length of the program at its end
  std::optional<Counter> counter{};
  MpcRunFault fault = MpcRunFault::None;
};

/// Where the control of a run stands: the loops that are open.
class MpcControl {
 public:
  /// Of a valid program, which must outlive it.
  explicit MpcControl(const MpcProgram& program)
      : program_(program), targets_(find_targets(program)) {}

  /// Continues from the control instruction at `at`; `operands` are its operands' values.
  auto step(size_t at, const std::vector<Cell>& operands) -> MpcStep;

 private:
  auto iterate(size_t begin) -> MpcStep;

  const MpcProgram& program_;
  std::vector<size_t> targets_;
  std::vector<MpcCounter> counters_;  ///< of the `for`s, innermost last
};

}  // namespace tacet::engine
