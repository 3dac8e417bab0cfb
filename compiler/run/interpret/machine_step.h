#pragma once

#include <algorithm>
#include <cstring>

#include "compiler/run/interpret/machine_state.h"

/// What each instruction does, for the loops over instructions. Private to this folder.
namespace tacet::interpret {

/// A definition's memory: zero before, the return point during evaluation, this afterwards.
inline constexpr Cell kEvaluated = ~Cell{0};

[[gnu::always_inline]] inline auto frame_cells(const Function& function) -> uint64_t {
  return uint64_t{kHeaderCells} + function.n_slots + function.n_outgoing_cells;
}

/// Allocates a frame at `base` and starts the function in it.
[[gnu::always_inline]] inline auto enter(Machine& machine, const Function& function) -> bool {
  uint64_t end = machine.base + frame_cells(function);
  if (!machine.stack.grow_to(end)) {
    return false;
  }
  machine.highest = std::max(machine.highest, end);
  machine.slots = machine.stack.cells() + machine.base + kHeaderCells;
  machine.top = machine.base + kHeaderCells + function.n_slots;
  machine.function = &function;
  std::fill_n(machine.slots + function.first_memory, function.n_memories, Cell{0});
  machine.pc = function.entry;
  return true;
}

/// Where control goes behind an instruction.
enum class Flow : uint8_t { Next, Jump, End };

[[gnu::always_inline]] inline auto next_unless_ended(bool continues) -> Flow {
  return continues ? Flow::Next : Flow::End;
}

/// Runs the code of a suspended argument in the frame that it belongs to. That frame may have any
/// number of others above it, so calls go to the top of the stack, behind a note of who asks.
[[gnu::always_inline]] inline auto need(Machine& machine, const Instruction& at) -> Flow {
  Cell code = machine.slots[at.operands[0]];
  uint64_t owner_base = machine.slots[at.operands[0] + 1];
  const Function& owner = machine.program.functions[code >> 32];
  uint64_t end = machine.top + kHeaderCells + owner.n_outgoing_cells;
  if (!spend(machine, 1)) {
    return Flow::End;
  }
  if (!machine.stack.grow_to(end)) {
    fail(machine, Fault::OutOfMemory);
    return Flow::End;
  }
  machine.highest = std::max(machine.highest, end);
  Cell* asking = machine.stack.cells() + machine.top;
  asking[0] = uint64_t{machine.pc + 1} | machine.index_of(*machine.function) << 32;
  asking[1] = machine.base;
  machine.top += kHeaderCells;
  machine.base = owner_base;
  machine.slots = machine.stack.cells() + machine.base + kHeaderCells;
  machine.function = &owner;
  machine.pc = static_cast<uint32_t>(code);
  return Flow::Jump;
}

/// Passes a value to the parameter that needed it and continues there.
[[gnu::always_inline]] inline auto settle(Machine& machine, const Instruction& at) -> Flow {
  machine.top -= kHeaderCells;
  const Cell* asking = machine.stack.cells() + machine.top;
  Cell* asking_slots = machine.stack.cells() + asking[1] + kHeaderCells;
  machine.pc = static_cast<uint32_t>(asking[0]);
  Cell* parameter = asking_slots + machine.program.instructions[machine.pc - 1].operands[0];
  std::memmove(parameter + kSuspensionCells, machine.slots + at.operands[0],
               at.operands[1] * sizeof(Cell));
  parameter[0] = kSettled;
  machine.function = &machine.program.functions[asking[0] >> 32];
  machine.base = asking[1];
  machine.slots = asking_slots;
  return Flow::Jump;
}

[[gnu::always_inline]] inline auto binary(Machine& machine, const Instruction& at) -> Flow {
  Cell left = machine.slots[at.operands[1]];
  Cell right = machine.slots[at.operands[2]];
  ArithmeticResult result = evaluate(binary_operation(at.opcode), at.type, left, right);
  if (result.fault != ArithmeticFault::None) [[unlikely]] {
    fail(machine, result.fault, left, right);
    return Flow::End;
  }
  machine.slots[at.operands[0]] = result.value;
  return Flow::Next;
}

[[gnu::always_inline]] inline auto add(Machine& machine, const Instruction& at) -> Flow {
  if (is_integer(at.type.kind)) [[likely]] {
    machine.slots[at.operands[0]] =
        wrapped(at.type.kind, machine.slots[at.operands[1]] + machine.slots[at.operands[2]]);
    return Flow::Next;
  }
  return binary(machine, at);
}

[[gnu::always_inline]] inline auto subtract(Machine& machine, const Instruction& at) -> Flow {
  if (is_integer(at.type.kind)) [[likely]] {
    machine.slots[at.operands[0]] =
        wrapped(at.type.kind, machine.slots[at.operands[1]] - machine.slots[at.operands[2]]);
    return Flow::Next;
  }
  return binary(machine, at);
}

[[gnu::always_inline]] inline auto constant(Machine& machine, const uint32_t* operands) -> Flow {
  machine.slots[operands[0]] = uint64_t{operands[1]} | uint64_t{operands[2]} << 32;
  return Flow::Next;
}

[[gnu::always_inline]] inline auto unary(Machine& machine, const Instruction& at) -> Flow {
  machine.slots[at.operands[0]] = evaluate_unary(at, machine.slots[at.operands[1]]);
  return Flow::Next;
}

[[gnu::always_inline]] inline auto copy_cells(Cell* to, const Cell* from, uint32_t n) -> Flow {
  std::memmove(to, from, n * sizeof(Cell));
  return Flow::Next;
}

[[gnu::always_inline]] inline auto move(Machine& machine, const uint32_t* operands) -> Flow {
  if (operands[2] == 1) [[likely]] {
    machine.slots[operands[0]] = machine.slots[operands[1]];
    return Flow::Next;
  }
  return copy_cells(machine.slots + operands[0], machine.slots + operands[1], operands[2]);
}

[[gnu::always_inline]] inline auto zero(Machine& machine, uint32_t first, uint32_t n) -> Flow {
  std::fill_n(machine.slots + first, n, Cell{0});
  return Flow::Next;
}

[[gnu::always_inline]] inline auto fold(Machine& machine, const Instruction& at) -> Flow {
  if (!spend(machine, uint64_t{at.operands[2]} * at.operands[3] * at.operands[4])) {
    return Flow::End;
  }
  reduce(machine, at, at.opcode == Opcode::Sum ? BinaryOperation::Add : BinaryOperation::Mul);
  return Flow::Next;
}

[[gnu::always_inline]] inline auto index(Machine& machine, const Instruction& at) -> Flow {
  const uint32_t* operands = at.operands;
  Cell index = machine.slots[operands[1]];
  Cell& address = machine.slots[operands[0]];
  if (index < operands[2]) [[likely]] {
    address = address == kOutside ? kOutside : address * operands[2] + index;
  } else if (at.opcode == Opcode::CheckIndex) {
    fail(machine, Fault::IndexOutOfRange, index, operands[2]);
    return Flow::End;
  } else {
    address = kOutside;
  }
  return Flow::Next;
}

[[gnu::always_inline]] inline auto fetch(Machine& machine, const uint32_t* operands) -> Flow {
  Cell address = machine.slots[operands[2]];
  if (address == kOutside) {
    return zero(machine, operands[0], operands[3]);
  }
  return copy_cells(machine.slots + operands[0],
                    machine.slots + operands[1] + address * operands[3], operands[3]);
}

[[gnu::always_inline]] inline auto put(Machine& machine, const uint32_t* operands) -> Flow {
  Cell address = machine.slots[operands[1]];
  if (address == kOutside) {
    return Flow::Next;
  }
  return copy_cells(machine.slots + operands[0] + address * operands[3],
                    machine.slots + operands[2], operands[3]);
}

[[gnu::always_inline]] inline auto reference(Machine& machine, const uint32_t* operands) -> Flow {
  machine.slots[operands[0]] = machine.base + kHeaderCells + operands[1];
  return Flow::Next;
}

[[gnu::always_inline]] inline auto check_reference(Machine& machine, const uint32_t* operands)
    -> Flow {
  if (machine.slots[operands[0]] >= machine.base) {
    fail(machine, Fault::DanglingReference);
    return Flow::End;
  }
  return Flow::Next;
}

[[gnu::always_inline]] inline auto jump(Machine& machine, uint32_t target) -> Flow {
  machine.pc = target;
  return Flow::Jump;
}

[[gnu::always_inline]] inline auto loop(Machine& machine, const uint32_t* operands) -> Flow {
  return spend(machine, 1) ? jump(machine, operands[0]) : Flow::End;
}

[[gnu::always_inline]] inline auto force(Machine& machine, const uint32_t* operands) -> Flow {
  Cell& memory = machine.slots[operands[0]];
  if (memory == kEvaluated) {
    return Flow::Next;
  }
  if (memory != 0) {
    fail(machine, Fault::CyclicDefinition);
    return Flow::End;
  }
  memory = machine.pc + 1;
  return jump(machine, operands[1]);
}

[[gnu::always_inline]] inline auto done(Machine& machine, const uint32_t* operands) -> Flow {
  machine.pc = static_cast<uint32_t>(machine.slots[operands[0]]);
  machine.slots[operands[0]] = kEvaluated;
  return Flow::Jump;
}

[[gnu::always_inline]] inline auto suspend(Machine& machine, const uint32_t* operands) -> Flow {
  machine.slots[operands[0]] = uint64_t{operands[1]} | machine.index_of(*machine.function) << 32;
  machine.slots[operands[0] + 1] = machine.base;
  return Flow::Next;
}

[[gnu::always_inline]] inline auto call(Machine& machine, const uint32_t* operands) -> Flow {
  const Function& callee = machine.program.functions[operands[0]];
  uint64_t caller = machine.base;
  if (!spend(machine, 1)) {
    return Flow::End;
  }
  machine.base = machine.top;
  Cell return_to = uint64_t{machine.pc + 1} | machine.index_of(*machine.function) << 32;
  if (!enter(machine, callee)) {
    machine.base = caller;
    fail(machine, Fault::OutOfMemory);
    return Flow::End;
  }
  machine.slots[-2] = return_to;
  machine.slots[-1] = caller;
  return Flow::Jump;
}

[[gnu::always_inline]] inline auto tail_call(Machine& machine, const uint32_t* operands) -> Flow {
  const Function& callee = machine.program.functions[operands[0]];
  if (!spend(machine, 1)) {
    return Flow::End;
  }
  std::memmove(machine.slots, machine.outgoing(), callee.n_parameter_cells * sizeof(Cell));
  if (!enter(machine, callee)) {
    fail(machine, Fault::OutOfMemory);
    return Flow::End;
  }
  return Flow::Jump;
}

[[gnu::always_inline]] inline auto leave(Machine& machine, const uint32_t* operands) -> Flow {
  std::memmove(machine.slots, machine.slots + operands[0], operands[1] * sizeof(Cell));
  if (machine.slots[-2] == kHostFrame) {
    machine.result.is_done = true;
    return Flow::End;
  }
  machine.pc = static_cast<uint32_t>(machine.slots[-2]);
  machine.function = &machine.program.functions[machine.slots[-2] >> 32];
  machine.top = machine.base;
  machine.base = machine.slots[-1];
  machine.slots = machine.stack.cells() + machine.base + kHeaderCells;
  return Flow::Jump;
}

/// One instruction. Each loop over instructions has a copy of it, with its handlers inside.
[[gnu::always_inline]] inline auto step(Machine& machine, const Instruction& at) -> Flow {
  const uint32_t* operands = at.operands;
  Cell* slots = machine.slots;
  switch (at.opcode) {
    case Opcode::Const:
      return constant(machine, operands);
    case Opcode::Add:
      return add(machine, at);
    case Opcode::Sub:
      return subtract(machine, at);
    case Opcode::Mul:
    case Opcode::Div:
    case Opcode::Rem:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
    case Opcode::Shl:
    case Opcode::Shr:
    case Opcode::ShrArithmetic:
    case Opcode::TotalDiv:
    case Opcode::TotalRem:
    case Opcode::TotalShl:
    case Opcode::TotalShr:
    case Opcode::TotalShrArithmetic:
    case Opcode::Less:
    case Opcode::LessEqual:
    case Opcode::Greater:
    case Opcode::GreaterEqual:
    case Opcode::Equal:
    case Opcode::NotEqual:
      return binary(machine, at);
    case Opcode::Negate:
    case Opcode::Not:
    case Opcode::Complement:
    case Opcode::Cast:
      return unary(machine, at);
    case Opcode::Move:
      return move(machine, operands);
    case Opcode::Zero:
      return zero(machine, operands[0], operands[1]);
    case Opcode::Repeat:
      return next_unless_ended(repeat(machine, at));
    case Opcode::Sum:
    case Opcode::Product:
      return fold(machine, at);
    case Opcode::Rotate:
      rotate(machine, at);
      return Flow::Next;
    case Opcode::Apply:
      return next_unless_ended(apply(machine, at));
    case Opcode::SplitRng:
      split_rng(machine, at);
      return Flow::Next;
    case Opcode::Draw:
      return next_unless_ended(draw(machine, at));
    case Opcode::Index:
    case Opcode::CheckIndex:
      return index(machine, at);
    case Opcode::Fetch:
      return fetch(machine, operands);
    case Opcode::Put:
      return put(machine, operands);
    case Opcode::Reference:
      return reference(machine, operands);
    case Opcode::Load:
      return copy_cells(slots + operands[0], machine.stack.cells() + slots[operands[1]],
                        operands[2]);
    case Opcode::Store:
      return copy_cells(machine.stack.cells() + slots[operands[0]], slots + operands[1],
                        operands[2]);
    case Opcode::CheckLeast:
    case Opcode::CheckMost:
      return next_unless_ended(check_bound(machine, at));
    case Opcode::CheckNorm:
      return next_unless_ended(check_norm(machine, at));
    case Opcode::CheckReference:
      return check_reference(machine, operands);
    case Opcode::Jump:
      return jump(machine, operands[0]);
    case Opcode::JumpIf:
      return slots[operands[0]] != 0 ? jump(machine, operands[1]) : Flow::Next;
    case Opcode::JumpUnless:
      return slots[operands[0]] == 0 ? jump(machine, operands[1]) : Flow::Next;
    case Opcode::Loop:
      return loop(machine, operands);
    case Opcode::Force:
      return force(machine, operands);
    case Opcode::Done:
      return done(machine, operands);
    case Opcode::Suspend:
      return suspend(machine, operands);
    case Opcode::Need:
      return slots[operands[0]] == kSettled ? Flow::Next : need(machine, at);
    case Opcode::Settle:
      return settle(machine, at);
    case Opcode::Pass:
      return copy_cells(machine.outgoing() + operands[0], slots + operands[1], operands[2]);
    case Opcode::Take:
      return copy_cells(slots + operands[0], machine.outgoing() + operands[1], operands[2]);
    case Opcode::Call:
      return call(machine, operands);
    case Opcode::TailCall:
      return tail_call(machine, operands);
    case Opcode::CallExtern:
      return next_unless_ended(call_extern(machine, machine.program.externs[operands[0]],
                                           machine.externs[operands[0]], machine.outgoing()));
    case Opcode::Return:
      return leave(machine, operands);
    case Opcode::Fail:
      fail(machine, static_cast<Fault>(operands[0]), operands[1]);
      return Flow::End;
    case Opcode::Note:
      note(machine, machine.pc);
      return Flow::Next;
    case Opcode::Mark:
    case Opcode::Reveal:
      return Flow::Next;
  }
  return Flow::Next;
}

}  // namespace tacet::interpret
