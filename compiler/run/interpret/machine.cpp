#include "compiler/run/interpret/machine.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "compiler/run/interpret/machine_state.h"

namespace tacet::interpret {

/// A definition's memory: zero before, where to go on while it is evaluated, this afterwards.
static constexpr Cell kEvaluated = ~Cell{0};
/// An address that an index outside made useless.
static constexpr Cell kOutside = ~Cell{0};

Machine::Machine(const Program& program, const MachineOptions& options)
    : program_(program), options_(options), stack_(options.memory_limit_bytes) {
  for (const ExternFunction& function : program.externs) {
    auto found = options.externs.find(function.name);
    externs_.push_back(found == options.externs.end() ? nullptr : &found->second);
  }
  for (const DrawPlace& place : program.draws) {
    draws_.emplace_back().append(options.random_key, place.bits);
  }
}

/// Makes room for a frame at `base_` and starts the function in it.
auto Machine::enter(const Function& function) -> bool {
  uint64_t end = base_ + frame_cells(function);
  if (!stack_.grow_to(end)) {
    return false;
  }
  highest_ = std::max(highest_, end);
  slots_ = stack_.cells() + base_ + kHeaderCells;
  top_ = base_ + kHeaderCells + function.n_slots;
  function_ = &function;
  std::fill_n(slots_ + function.first_memory, function.n_memories, Cell{0});
  pc_ = function.entry;
  return true;
}

auto Machine::run(uint32_t function, std::span<const Cell> arguments) -> MachineResult {
  const Function& entry = program_.functions[function];
  TACET_CHECK(arguments.size() == entry.n_parameter_cells, "wrong number of argument cells");
  if (!enter(entry)) {
    pc_ = entry.entry;
    result_.failure.fault = Fault::OutOfMemory;
    result_.failure.instruction = entry.entry;
    return result_;
  }
  std::copy(arguments.begin(), arguments.end(), slots_);
  slots_[-2] = kHostFrame;
  slots_[-1] = 0;
  execute();
  if (result_.is_done) {
    result_.results.assign(slots_, slots_ + entry.n_result_cells);
  } else {
    trace(result_.failure);
  }
  result_.n_steps += static_cast<uint64_t>(kStepsBetweenPolls - fuel_);
  result_.peak_memory_bytes = highest_ * sizeof(Cell);
  return std::move(result_);
}

/// Counts work; now and then looks whether anyone wants the run to end. False if so.
auto Machine::spend(uint64_t n_steps) -> bool {
  fuel_ -= static_cast<int64_t>(n_steps);
  if (fuel_ > 0) [[likely]] {
    return true;
  }
  result_.n_steps += static_cast<uint64_t>(kStepsBetweenPolls - fuel_);
  fuel_ = kStepsBetweenPolls;
  if (options_.progress) {
    options_.progress(result_.n_steps);
  }
  if (options_.cancellation.is_cancelled()) {
    fail(Fault::Cancelled);
    return false;
  }
  return true;
}

/// Runs the code of a suspended argument in the frame that it belongs to. That frame may have any
/// number of others above it, so calls go to the top of the stack, behind a note of who asks.
auto Machine::need(const Instruction& at) -> bool {
  Cell code = slots_[at.operands[0]];
  uint64_t owner_base = slots_[at.operands[0] + 1];
  const Function& owner = program_.functions[code >> 32];
  uint64_t end = top_ + kHeaderCells + owner.n_outgoing_cells;
  if (!spend(1)) {
    return false;
  }
  if (!stack_.grow_to(end)) {
    fail(Fault::OutOfMemory);
    return false;
  }
  highest_ = std::max(highest_, end);
  Cell* asking = stack_.cells() + top_;
  asking[0] = uint64_t{pc_ + 1} | index_of(*function_) << 32;
  asking[1] = base_;
  top_ += kHeaderCells;
  base_ = owner_base;
  slots_ = stack_.cells() + base_ + kHeaderCells;
  function_ = &owner;
  pc_ = static_cast<uint32_t>(code);
  return true;
}

/// Hands a value to the parameter that needed it and goes on there.
void Machine::settle(const Instruction& at) {
  top_ -= kHeaderCells;
  const Cell* asking = stack_.cells() + top_;
  Cell* asking_slots = stack_.cells() + asking[1] + kHeaderCells;
  pc_ = static_cast<uint32_t>(asking[0]);
  Cell* parameter = asking_slots + program_.instructions[pc_ - 1].operands[0];
  std::memmove(parameter + kSuspensionCells, slots_ + at.operands[0],
               at.operands[1] * sizeof(Cell));
  parameter[0] = kSettled;
  function_ = &program_.functions[asking[0] >> 32];
  base_ = asking[1];
  slots_ = asking_slots;
}

auto Machine::binary(const Instruction& at) -> bool {
  Cell left = slots_[at.operands[1]];
  Cell right = slots_[at.operands[2]];
  ArithmeticResult result = evaluate(binary_operation(at.opcode), at.type, left, right);
  if (result.fault != ArithmeticFault::None) [[unlikely]] {
    fail(result.fault, left, right);
    return false;
  }
  slots_[at.operands[0]] = result.value;
  return true;
}

/// Runs from `pc_` until the outermost function returns or something fails.
void Machine::execute() {
  for (;;) {
    const Instruction& at = program_.instructions[pc_];
    const uint32_t* operands = at.operands;
    switch (at.opcode) {
      case Opcode::Const:
        slots_[operands[0]] = uint64_t{operands[1]} | uint64_t{operands[2]} << 32;
        break;
      case Opcode::Add:
        if (is_integer(at.type.kind)) [[likely]] {
          slots_[operands[0]] = wrapped(at.type.kind, slots_[operands[1]] + slots_[operands[2]]);
          break;
        }
        if (!binary(at)) {
          return;
        }
        break;
      case Opcode::Sub:
        if (is_integer(at.type.kind)) [[likely]] {
          slots_[operands[0]] = wrapped(at.type.kind, slots_[operands[1]] - slots_[operands[2]]);
          break;
        }
        if (!binary(at)) {
          return;
        }
        break;
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
        if (!binary(at)) {
          return;
        }
        break;
      case Opcode::Negate:
      case Opcode::Not:
      case Opcode::Complement:
      case Opcode::Cast:
        slots_[operands[0]] = evaluate_unary(at, slots_[operands[1]]);
        break;
      case Opcode::Move:
        if (operands[2] == 1) [[likely]] {
          slots_[operands[0]] = slots_[operands[1]];
        } else {
          std::memmove(slots_ + operands[0], slots_ + operands[1], operands[2] * sizeof(Cell));
        }
        break;
      case Opcode::Zero:
        std::fill_n(slots_ + operands[0], operands[1], Cell{0});
        break;
      case Opcode::Repeat:
        if (!repeat(at)) {
          return;
        }
        break;
      case Opcode::Sum:
      case Opcode::Product:
        if (!spend(uint64_t{operands[2]} * operands[3] * operands[4])) {
          return;
        }
        reduce(at, at.opcode == Opcode::Sum ? BinaryOperation::Add : BinaryOperation::Mul);
        break;
      case Opcode::Rotate:
        rotate(at);
        break;
      case Opcode::Apply:
        if (!apply(at)) {
          return;
        }
        break;
      case Opcode::SplitRng:
        split_rng(at);
        break;
      case Opcode::Draw:
        if (!draw(at)) {
          return;
        }
        break;
      case Opcode::Index:
      case Opcode::CheckIndex: {
        Cell index = slots_[operands[1]];
        Cell& address = slots_[operands[0]];
        if (index < operands[2]) [[likely]] {
          address = address == kOutside ? kOutside : address * operands[2] + index;
        } else if (at.opcode == Opcode::CheckIndex) {
          fail(Fault::IndexOutOfRange, index, operands[2]);
          return;
        } else {
          address = kOutside;
        }
        break;
      }
      case Opcode::Fetch: {
        Cell address = slots_[operands[2]];
        if (address == kOutside) {
          std::fill_n(slots_ + operands[0], operands[3], Cell{0});
        } else {
          std::memmove(slots_ + operands[0], slots_ + operands[1] + address * operands[3],
                       operands[3] * sizeof(Cell));
        }
        break;
      }
      case Opcode::Put: {
        Cell address = slots_[operands[1]];
        if (address != kOutside) {
          std::memmove(slots_ + operands[0] + address * operands[3], slots_ + operands[2],
                       operands[3] * sizeof(Cell));
        }
        break;
      }
      case Opcode::Reference:
        slots_[operands[0]] = base_ + kHeaderCells + operands[1];
        break;
      case Opcode::Load:
        std::memmove(slots_ + operands[0], stack_.cells() + slots_[operands[1]],
                     operands[2] * sizeof(Cell));
        break;
      case Opcode::Store:
        std::memmove(stack_.cells() + slots_[operands[0]], slots_ + operands[1],
                     operands[2] * sizeof(Cell));
        break;
      case Opcode::CheckLeast:
      case Opcode::CheckMost:
        if (!check_bound(at)) {
          return;
        }
        break;
      case Opcode::CheckReference:
        if (slots_[operands[0]] >= base_) {
          fail(Fault::DanglingReference);
          return;
        }
        break;
      case Opcode::Jump:
        pc_ = operands[0];
        continue;
      case Opcode::JumpIf:
        if (slots_[operands[0]] != 0) {
          pc_ = operands[1];
          continue;
        }
        break;
      case Opcode::JumpUnless:
        if (slots_[operands[0]] == 0) {
          pc_ = operands[1];
          continue;
        }
        break;
      case Opcode::Loop:
        if (!spend(1)) {
          return;
        }
        pc_ = operands[0];
        continue;
      case Opcode::Force: {
        Cell& memory = slots_[operands[0]];
        if (memory == kEvaluated) {
          break;
        }
        if (memory != 0) {
          fail(Fault::CyclicDefinition);
          return;
        }
        memory = pc_ + 1;
        pc_ = operands[1];
        continue;
      }
      case Opcode::Done:
        pc_ = static_cast<uint32_t>(slots_[operands[0]]);
        slots_[operands[0]] = kEvaluated;
        continue;
      case Opcode::Suspend:
        slots_[operands[0]] = uint64_t{operands[1]} | index_of(*function_) << 32;
        slots_[operands[0] + 1] = base_;
        break;
      case Opcode::Need:
        if (slots_[operands[0]] == kSettled) [[likely]] {
          break;
        }
        if (!need(at)) {
          return;
        }
        continue;
      case Opcode::Settle:
        settle(at);
        continue;
      case Opcode::Pass:
        std::memmove(outgoing() + operands[0], slots_ + operands[1], operands[2] * sizeof(Cell));
        break;
      case Opcode::Take:
        std::memmove(slots_ + operands[0], outgoing() + operands[1], operands[2] * sizeof(Cell));
        break;
      case Opcode::Call: {
        const Function& callee = program_.functions[operands[0]];
        uint64_t caller = base_;
        if (!spend(1)) {
          return;
        }
        base_ = top_;
        Cell return_to = uint64_t{pc_ + 1} | index_of(*function_) << 32;
        if (!enter(callee)) {
          base_ = caller;
          fail(Fault::OutOfMemory);
          return;
        }
        slots_[-2] = return_to;
        slots_[-1] = caller;
        continue;
      }
      case Opcode::TailCall: {
        const Function& callee = program_.functions[operands[0]];
        if (!spend(1)) {
          return;
        }
        std::memmove(slots_, outgoing(), callee.n_parameter_cells * sizeof(Cell));
        if (!enter(callee)) {
          fail(Fault::OutOfMemory);
          return;
        }
        continue;
      }
      case Opcode::CallExtern: {
        if (!call_extern(program_.externs[operands[0]], externs_[operands[0]], outgoing())) {
          return;
        }
        break;
      }
      case Opcode::Return: {
        std::memmove(slots_, slots_ + operands[0], operands[1] * sizeof(Cell));
        if (slots_[-2] == kHostFrame) {
          result_.is_done = true;
          return;
        }
        pc_ = static_cast<uint32_t>(slots_[-2]);
        function_ = &program_.functions[slots_[-2] >> 32];
        top_ = base_;
        base_ = slots_[-1];
        slots_ = stack_.cells() + base_ + kHeaderCells;
        continue;
      }
      case Opcode::Fail:
        fail(static_cast<Fault>(operands[0]), operands[1]);
        return;
      case Opcode::Note:
        note(pc_);
        break;
    }
    ++pc_;
  }
}

auto run_program(const Program& program, uint32_t function, std::span<const Cell> arguments,
                 const MachineOptions& options) -> MachineResult {
  return Machine(program, options).run(function, arguments);
}

}  // namespace tacet::interpret
