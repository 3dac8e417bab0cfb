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

/// An address that an index outside made useless.
constexpr Cell kOutside = ~Cell{0};

constexpr int64_t kStepsBetweenPolls = 1 << 16;

/// What an instruction of one operand gives.
auto evaluate_unary(const Instruction& at, Cell operand) -> Cell;

/// The state of one run. What every instruction needs is in `machine.cpp`; what takes many cells at
/// once, or ends a run, in `machine_operations.cpp` and `machine_failure.cpp`.
struct Machine {
  Machine(const Program& code, const MachineOptions& given_options);

  [[nodiscard]] auto index_of(const Function& of) const -> uint64_t {
    return static_cast<uint64_t>(&of - program.functions.data());
  }
  /// The argument or result cells of the next or the last call.
  [[nodiscard]] auto outgoing() const -> Cell* { return stack.cells() + top + kHeaderCells; }

  const Program& program;
  const MachineOptions& options;
  std::vector<const HostFunction*> externs;
  Isa isa = best_isa();
  std::set<std::vector<Cell>> drawn;          ///< places, if they are audited
  std::vector<engine::StaticRngState> draws;  ///< by place, with all its bits
  CellStack stack;
  uint64_t base = 0;     ///< the current frame, in cells from the stack's start
  uint64_t top = 0;      ///< where the next frame begins
  uint64_t highest = 0;  ///< the most cells that were in use
  Cell* slots = nullptr;
  uint32_t pc = 0;
  const Function* function = nullptr;
  int64_t fuel = kStepsBetweenPolls;
  MachineResult result;
};

/// Counts work and polls for cancellation. False if cancelled.
auto spend(Machine& machine, uint64_t n_steps) -> bool;

// Instructions on many cells, draws and calls of the host. False if the run ends.
auto repeat(Machine& machine, const Instruction& at) -> bool;
void reduce(Machine& machine, const Instruction& at, BinaryOperation operation);
void rotate(Machine& machine, const Instruction& at);
auto apply(Machine& machine, const Instruction& at) -> bool;
void split_rng(Machine& machine, const Instruction& at);
auto draw(Machine& machine, const Instruction& at) -> bool;
auto check_bound(Machine& machine, const Instruction& at) -> bool;
auto check_norm(Machine& machine, const Instruction& at) -> bool;
auto call_extern(Machine& machine, const ExternFunction& function, const HostFunction* host,
                 Cell* at) -> bool;

/// Writes down why the run ends.
void fail(Machine& machine, Fault fault, Cell left = 0, Cell right = 0);
void fail(Machine& machine, ArithmeticFault fault, Cell left, Cell right);
/// The callers of where the run ended.
void trace(const Machine& machine, Failure& failure);
/// Adds an instruction that was reached to the notes.
void note(Machine& machine, uint32_t instruction);

}  // namespace tacet::interpret
