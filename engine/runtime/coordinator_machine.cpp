#include "engine/runtime/coordinator_machine.h"

#include <algorithm>
#include <cstring>

namespace tacet::engine {

using Opcode = CoordinatorOpcode;
using Instruction = CoordinatorInstruction;

/// The last cell of what waits says who: a join, the host, or a funclet that yielded.
static constexpr Cell kHost = ~Cell{0};
static constexpr Cell kYielded = Cell{1} << 32;

CoordinatorMachine::CoordinatorMachine(const CoordinatorProgram& program,
                                       const std::vector<Kernel>& kernels,
                                       std::span<Device* const> devices, JoinStack& stack,
                                       const PublicRandomKey& random_key)
    : program_(program),
      kernels_(kernels),
      devices_(devices),
      stack_(stack),
      random_key_(random_key) {
  uint32_t n = 1;
  for (const CoordinatorFunclet& funclet : program.funclets) {
    n = std::max(n, funclet.n_cells);
  }
  frame_.resize(n);
  for (const MoveList& list : program.lists) {
    n = std::max(n, list.n_cells);
  }
  scratch_.resize(n);
}

auto CoordinatorMachine::start(uint32_t function, std::span<const Cell> arguments) -> State {
  pc_ = program_.funclets[program_.functions[function].funclet].entry;
  Cell* host = stack_.push(1);
  if (host == nullptr) {
    fail(CoordinatorFault::OutOfMemory);
    return State::Failed;
  }
  *host = kHost;
  const size_t n = std::min(arguments.size(), frame_.size());
  std::copy_n(arguments.begin(), n, frame_.begin());
  return run(program_.functions[function].funclet);
}

auto CoordinatorMachine::resume() -> State {
  const Cell who = stack_.size() == 0 ? kHost : stack_.end()[-1];
  if (who == kHost || who < kYielded) {
    fail(CoordinatorFault::BadProgram);
    return State::Failed;
  }
  const auto funclet = static_cast<uint32_t>(who - kYielded);
  const uint64_t n = program_.funclets[funclet].n_parameter_cells;
  std::copy_n(stack_.end() - 1 - n, n, frame_.begin());
  stack_.pop(n + 1);
  return run(funclet);
}

void CoordinatorMachine::enter(uint32_t funclet) {
  ++n_steps_;
  pc_ = program_.funclets[funclet].entry;
}

void CoordinatorMachine::gather(uint32_t list, Cell* to) const {
  const MoveList& moves = program_.lists[list];
  const Move* move = program_.moves.data() + moves.first;
  for (uint32_t i = 0; i < moves.n_moves; ++i, ++move) {
    if (move->n == 1) [[likely]] {
      *to++ = frame_[move->source];
    } else {
      std::memcpy(to, frame_.data() + move->source, move->n * sizeof(Cell));
      to += move->n;
    }
  }
}

/// Puts a join on the stack. False if there is no room.
auto CoordinatorMachine::wait(uint32_t join) -> bool {
  const uint32_t kept = program_.joins[join].kept;
  const uint32_t n = program_.lists[kept].n_cells;
  Cell* cells = stack_.push(n + 1);
  if (cells == nullptr) [[unlikely]] {
    return fail(CoordinatorFault::OutOfMemory);
  }
  gather(kept, cells);
  cells[n] = join;
  return true;
}

void CoordinatorMachine::follow(uint32_t edge) {
  const Edge& data = program_.edges[edge];
  gather(data.arguments, scratch_.data());
  std::memcpy(frame_.data(), scratch_.data(),
              program_.lists[data.arguments].n_cells * sizeof(Cell));
  enter(data.funclet);
}

/// Hands results to who waits.
auto CoordinatorMachine::give_back(const Instruction& at) -> std::optional<State> {
  const uint32_t n_results = program_.lists[at.operands[0]].n_cells;
  gather(at.operands[0], scratch_.data());
  const Cell who = stack_.end()[-1];
  if (who == kHost) {
    stack_.pop(1);
    results_.assign(scratch_.begin(), scratch_.begin() + n_results);
    return State::Done;
  }
  const Join& join = program_.joins[who];
  if (join.n_result_cells != n_results) [[unlikely]] {
    fail(CoordinatorFault::BadProgram);
    return State::Failed;
  }
  const uint32_t n_kept = program_.lists[join.kept].n_cells;
  std::memcpy(frame_.data(), stack_.end() - 1 - n_kept, n_kept * sizeof(Cell));
  std::memcpy(frame_.data() + n_kept, scratch_.data(), n_results * sizeof(Cell));
  stack_.pop(uint64_t{n_kept} + 1);
  enter(join.funclet);
  return std::nullopt;
}

auto CoordinatorMachine::call(const Instruction& at) -> std::optional<State> {
  if (at.operands[2] != kNone && !wait(at.operands[2])) [[unlikely]] {
    return State::Failed;
  }
  const uint32_t arguments = at.operands[1];
  gather(arguments, scratch_.data());
  std::memcpy(frame_.data(), scratch_.data(), program_.lists[arguments].n_cells * sizeof(Cell));
  enter(program_.functions[at.operands[0]].funclet);
  return std::nullopt;
}

/// Leaves the edge on the stack for `resume`.
auto CoordinatorMachine::yield(const Instruction& at) -> State {
  const Edge& edge = program_.edges[at.operands[0]];
  const uint32_t n = program_.lists[edge.arguments].n_cells;
  Cell* cells = stack_.push(uint64_t{n} + 1);
  if (cells == nullptr) {
    fail(CoordinatorFault::OutOfMemory);
    return State::Failed;
  }
  gather(edge.arguments, cells);
  cells[n] = kYielded + edge.funclet;
  return State::Yielded;
}

/// The last instruction of a funclet. Nothing if another funclet was entered, else why the run
/// stops.
auto CoordinatorMachine::hand_over(const Instruction& at) -> std::optional<State> {
  const uint32_t* operands = at.operands;
  if (at.opcode == Opcode::Return) {
    return give_back(at);
  }
  if (at.opcode == Opcode::Call) {
    return call(at);
  }
  if (at.opcode == Opcode::Yield) {
    return yield(at);
  }
  if (at.opcode == Opcode::Jump) {
    follow(operands[0]);
    return std::nullopt;
  }
  if (operands[3] != kNone && !wait(operands[3])) [[unlikely]] {
    return State::Failed;
  }
  follow(frame_[operands[0]] != 0 ? operands[1] : operands[2]);
  return std::nullopt;
}

/// Runs from the beginning of `funclet`, whose parameters are in the frame.
auto CoordinatorMachine::run(uint32_t funclet) -> State {
  enter(funclet);
  for (;;) {
    const Instruction& at = program_.instructions[pc_];
    if (!ends_funclet(at.opcode)) [[likely]] {
      if (!step(at)) [[unlikely]] {
        return State::Failed;
      }
      ++pc_;
    } else if (const std::optional<State> stopped = hand_over(at)) {
      return *stopped;
    }
  }
}

}  // namespace tacet::engine
