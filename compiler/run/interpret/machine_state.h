#pragma once

#include <set>
#include <vector>

#include "compiler/run/interpret/machine.h"
#include "engine/program/common/cell_stack.h"

/// What the files of the machine share. Private to this folder.
namespace tacet::interpret {

using engine::CellStack;

/// The return address of the outermost frame.
constexpr Cell kHostFrame = ~Cell{0};

constexpr int64_t kStepsBetweenPolls = 1 << 16;

/// What an instruction of one operand gives.
auto evaluate_unary(const Instruction& at, Cell operand) -> Cell;

/// The state of one run. What every instruction needs stands in `machine.cpp`; what takes many
/// cells at once, or ends a run, in `machine_operations.cpp` and `machine_failure.cpp`.
class Machine {
 public:
  Machine(const Program& program, const MachineOptions& options);

  auto run(uint32_t function, std::span<const Cell> arguments) -> MachineResult;

 private:
  auto enter(const Function& function) -> bool;
  void execute();
  auto need(const Instruction& at) -> bool;
  void settle(const Instruction& at);
  auto binary(const Instruction& at) -> bool;
  auto repeat(const Instruction& at) -> bool;
  auto repeat_unary(const Instruction& at, const Instruction& body) -> bool;
  void reduce(const Instruction& at, BinaryOperation operation);
  void rotate(const Instruction& at);
  auto apply(const Instruction& at) -> bool;
  void split_rng(const Instruction& at);
  auto draw(const Instruction& at) -> bool;
  auto check_bound(const Instruction& at) -> bool;
  auto call_extern(const ExternFunction& function, const HostFunction* host, Cell* at) -> bool;
  auto spend(uint64_t n_steps) -> bool;
  void fail(Fault fault, Cell left = 0, Cell right = 0);
  void fail(ArithmeticFault fault, Cell left, Cell right);
  void trace(Failure& failure) const;
  void note(uint32_t instruction);
  [[nodiscard]] auto index_of(const Function& function) const -> uint64_t {
    return static_cast<uint64_t>(&function - program_.functions.data());
  }
  /// The argument or result cells of the next or the last call.
  [[nodiscard]] auto outgoing() const -> Cell* { return stack_.cells() + top_ + kHeaderCells; }
  [[nodiscard]] static auto frame_cells(const Function& function) -> uint64_t {
    return uint64_t{kHeaderCells} + function.n_slots + function.n_outgoing_cells;
  }

  const Program& program_;
  const MachineOptions& options_;
  std::vector<const HostFunction*> externs_;
  Isa isa_ = best_isa();
  std::set<std::vector<Cell>> drawn_;          ///< places, if they are audited
  std::vector<engine::StaticRngState> draws_;  ///< by place, with all its bits
  CellStack stack_;
  uint64_t base_ = 0;     ///< the current frame, in cells from the stack's start
  uint64_t top_ = 0;      ///< where the next frame begins
  uint64_t highest_ = 0;  ///< the most cells that were in use
  Cell* slots_ = nullptr;
  uint32_t pc_ = 0;
  const Function* function_ = nullptr;
  int64_t fuel_ = kStepsBetweenPolls;
  MachineResult result_;
};

}  // namespace tacet::interpret
