#include "engine/runtime/coordinator_machine.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "engine/runtime/host_device.h"

namespace tacet::engine {
namespace {

using Opcode = CoordinatorOpcode;
using State = CoordinatorMachine::State;

/// Writes programs by hand.
class Writer {
 public:
  CoordinatorProgram program;

  auto list(std::vector<Move> moves) -> uint32_t {
    MoveList list;
    list.first = static_cast<uint32_t>(program.moves.size());
    list.n_moves = static_cast<uint32_t>(moves.size());
    for (const Move& move : moves) {
      list.n_cells += move.n;
      program.moves.push_back(move);
    }
    program.lists.push_back(list);
    return static_cast<uint32_t>(program.lists.size() - 1);
  }
  auto edge(uint32_t funclet, std::vector<Move> moves) -> uint32_t {
    const uint32_t arguments = list(std::move(moves));
    program.edges.push_back({funclet, arguments});
    return static_cast<uint32_t>(program.edges.size() - 1);
  }
  void emit(Opcode opcode, std::initializer_list<uint32_t> operands, uint8_t operation = 0,
            ElementType type = kI64) {
    CoordinatorInstruction instruction;
    instruction.opcode = opcode;
    instruction.operation = operation;
    instruction.type = type;
    std::copy(operands.begin(), operands.end(), instruction.operands);
    program.instructions.push_back(instruction);
  }
  void constant(uint32_t cell, Cell value) {
    program.constants.push_back(value);
    emit(Opcode::Constant, {cell, static_cast<uint32_t>(program.constants.size() - 1), 1});
  }
  void binary(BinaryOperation operation, uint32_t d, uint32_t left, uint32_t right) {
    emit(Opcode::Binary, {d, left, right, 1, 0}, static_cast<uint8_t>(operation));
  }
  void funclet(uint32_t n_parameters, uint32_t n_cells) {
    const uint32_t entry = program.funclets.empty() ? 0 : program.funclets.back().end;
    program.funclets.push_back(
        {entry, static_cast<uint32_t>(program.instructions.size()), n_parameters, n_cells, 0});
  }
};

/// `f(n) = if n == 0 { 0 } else { f(n - 1) + n }`, with a yield before the call.
auto sum_program() -> CoordinatorProgram {
  Writer w;
  w.constant(1, 0);
  w.binary(BinaryOperation::Equal, 2, 0, 1);
  w.emit(Opcode::Select, {2, w.edge(1, {}), w.edge(2, {{0, 1}}), kNone});
  w.funclet(1, 3);
  w.constant(0, 0);
  w.emit(Opcode::Return, {w.list({{0, 1}})});
  w.funclet(0, 1);
  w.constant(1, 1);
  w.binary(BinaryOperation::Sub, 2, 0, 1);
  w.emit(Opcode::Yield, {w.edge(3, {{0, 1}, {2, 1}})});
  w.funclet(1, 3);
  const uint32_t kept = w.list({{0, 1}});
  const uint32_t arguments = w.list({{1, 1}});
  w.program.joins.push_back({4, kept, 1, static_cast<uint32_t>(w.program.instructions.size())});
  w.emit(Opcode::Call, {0, arguments, 0});
  w.funclet(2, 2);
  w.binary(BinaryOperation::Add, 2, 1, 0);
  w.emit(Opcode::Return, {w.list({{2, 1}})});
  w.funclet(2, 3);
  w.program.functions.push_back({"f", 0, 1});
  return w.program;
}

TEST(CoordinatorMachine, YieldsInEveryIterationAndResumesAnywhere) {
  const CoordinatorProgram program = sum_program();
  ASSERT_TRUE(validate(program));
  const std::vector<Kernel> kernels;
  JoinStack stack(1 << 20);
  State state = CoordinatorMachine(program, kernels, {}, stack).start(0, std::array<Cell, 1>{5});
  int n_yields = 0;
  std::vector<Cell> results;
  while (state == State::Yielded) {
    ++n_yields;
    // Nothing but the stack is left of the machine before.
    CoordinatorMachine machine(program, kernels, {}, stack);
    state = machine.resume();
    results.assign(machine.results().begin(), machine.results().end());
  }
  EXPECT_EQ(state, State::Done);
  EXPECT_EQ(n_yields, 5);
  EXPECT_EQ(results, std::vector<Cell>{15});
  EXPECT_EQ(stack.size(), 0U);
}

TEST(CoordinatorMachine, NotifiesWaitersWhenMemoryEnds) {
  const CoordinatorProgram program = sum_program();
  const std::vector<Kernel> kernels;
  JoinStack stack(4096);
  CoordinatorMachine machine(program, kernels, {}, stack);
  State state = machine.start(0, std::array<Cell, 1>{1'000'000});
  while (state == State::Yielded) {
    state = machine.resume();
  }
  ASSERT_EQ(state, State::Failed);
  EXPECT_EQ(machine.failure().fault, CoordinatorFault::OutOfMemory);
  EXPECT_EQ(machine.failure().callers.size(), 8U);
  EXPECT_GT(machine.failure().n_calls_left_out, 100U);
}

TEST(CoordinatorMachine, ResumingWhatDidNotYieldFails) {
  const CoordinatorProgram program = sum_program();
  const std::vector<Kernel> kernels;
  JoinStack stack(4096);
  CoordinatorMachine machine(program, kernels, {}, stack);
  EXPECT_EQ(machine.resume(), State::Failed);
  EXPECT_EQ(machine.failure().fault, CoordinatorFault::BadProgram);
}

/// `f(a: [i64; 3], k)`: the elements of `a` times `k`, turned round by one, the one at `k` put to
/// 100 if there is one, and behind them their sum and what is 7 if `k` is 0.
auto array_program() -> CoordinatorProgram {
  enum : uint32_t { A = 0, K = 3, I = 4, Element = 5, B = 6, C = 9, Sum = 12, Flag = 13, N = 14 };
  Writer w;
  w.emit(Opcode::Zero, {I, 1});
  const auto start = static_cast<uint32_t>(w.program.instructions.size());
  w.emit(Opcode::Index, {Element, A, I, 3, 1});
  w.binary(BinaryOperation::Mul, Element, Element, K);
  w.emit(Opcode::Put, {B, I, Element, 3, 1});
  w.emit(Opcode::Repeat, {I, 3, start});
  w.constant(I, 1);
  w.emit(Opcode::Rotate, {C, B, I, 3, 1});
  w.constant(Element, 100);
  w.emit(Opcode::Put, {C, K, Element, 3, 1});
  w.emit(Opcode::Reduce, {Sum, C, 1, 3, 1}, static_cast<uint8_t>(BinaryOperation::Add));
  w.emit(Opcode::Zero, {Flag, 1});
  w.emit(Opcode::Unless, {K, static_cast<uint32_t>(w.program.instructions.size()) + 2});
  w.emit(Opcode::Go, {static_cast<uint32_t>(w.program.instructions.size()) + 2});
  w.constant(Flag, 7);
  w.emit(Opcode::Return, {w.list({{C, 5}})});
  w.funclet(4, N);
  w.program.functions.push_back({"f", 0, 5});
  return w.program;
}

auto run_to_end(const CoordinatorProgram& program, std::span<const Cell> arguments)
    -> std::vector<Cell> {
  const std::vector<Kernel> kernels;
  JoinStack stack(1 << 20);
  CoordinatorMachine machine(program, kernels, {}, stack);
  EXPECT_EQ(machine.start(0, arguments), State::Done);
  return {machine.results().begin(), machine.results().end()};
}

TEST(CoordinatorMachine, LoopsOverArrays) {
  const CoordinatorProgram program = array_program();
  const Status status = validate(program);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(run_to_end(program, std::array<Cell, 4>{1, 2, 3, 2}),
            (std::vector<Cell>{4, 6, 100, 110, 0}));
  EXPECT_EQ(run_to_end(program, std::array<Cell, 4>{1, 2, 3, 5}),
            (std::vector<Cell>{10, 15, 5, 30, 0}));
  EXPECT_EQ(run_to_end(program, std::array<Cell, 4>{1, 2, 3, 0}),
            (std::vector<Cell>{100, 0, 0, 100, 7}));
}

TEST(CoordinatorMachine, FailsAtElementsOutside) {
  Writer w;
  w.emit(Opcode::CheckIndex, {0, 3});
  w.emit(Opcode::Return, {w.list({})});
  w.funclet(1, 1);
  w.program.functions.push_back({"f", 0, 0});
  ASSERT_TRUE(validate(w.program));
  const std::vector<Kernel> kernels;
  for (const int64_t index : {-1, 3, 1000}) {
    JoinStack stack(1 << 20);
    CoordinatorMachine machine(w.program, kernels, {}, stack);
    ASSERT_EQ(machine.start(0, std::array{static_cast<Cell>(index)}), State::Failed);
    EXPECT_EQ(machine.failure().fault, CoordinatorFault::IndexOutOfRange);
    EXPECT_EQ(static_cast<int64_t>(machine.failure().left), index);
    EXPECT_EQ(machine.failure().right, 3U);
  }
}

TEST(CoordinatorProgram, JumpsStayInTheirFunclet) {
  for (const Opcode jump : {Opcode::Repeat, Opcode::Unless, Opcode::Go}) {
    CoordinatorProgram program = array_program();
    const auto size = static_cast<uint32_t>(program.instructions.size());
    for (CoordinatorInstruction& instruction : program.instructions) {
      if (instruction.opcode == jump) {
        instruction.operands[jump == Opcode::Repeat ? 2 : jump == Opcode::Unless ? 1 : 0] = size;
      }
    }
    EXPECT_FALSE(validate(program));
  }
}

/// A randomly changed valid program is rejected or as safe as before. (It is not run: it may not
/// terminate.)
TEST(CoordinatorProgram, ChangesAreRefusedOrSafe) {
  std::mt19937_64 random(5);
  const std::array goods = {sum_program(), array_program()};
  int n_refused = 0;
  for (int i = 0; i < 5000; ++i) {
    CoordinatorProgram bad = goods[random() % 2];
    const auto number =
        static_cast<uint32_t>(random() % 3 == 0 ? random() & 0xffffffffU : random() % 8);
    switch (random() % 6) {
      case 0:
        bad.instructions[random() % bad.instructions.size()].operands[random() % 5] = number;
        break;
      case 1:
        bad.instructions[random() % bad.instructions.size()].opcode =
            static_cast<Opcode>(number % 40);
        break;
      case 2:
        bad.moves[random() % bad.moves.size()].source = number;
        break;
      case 3:
        bad.lists[random() % bad.lists.size()].n_cells = number;
        break;
      case 4:
        bad.funclets[random() % bad.funclets.size()].n_cells = number;
        break;
      default:
        if (!bad.edges.empty()) {
          bad.edges[random() % bad.edges.size()].funclet = number;
        }
        break;
    }
    n_refused += validate(bad) ? 0 : 1;
  }
  EXPECT_GT(n_refused, 2500);
}

/// One kernel that doubles, and fails on 13.
struct Doubling {
  CoordinatorProgram program;
  std::vector<Kernel> kernels;
  HostDevice device{program, kernels};

  Doubling() {
    program.kernels.push_back({"twice", 1, {kI64}, {1}, {1}});
    kernels.emplace_back([](std::span<const int64_t> inputs, std::span<int64_t> outputs) {
      outputs[0] = inputs[0] * 2;
      return inputs[0] == 13 ? 7 : 0;
    });
  }

  /// Encodes a copy and the kernel; gives where the result will be.
  auto encode(EncodingId encoding, Cell value) -> RemoteId {
    const RemoteId input = device.copy(encoding, std::span(&value, 1), Clearness::Hidden);
    RemoteId result = 0;
    device.call(encoding, {0, {}, std::span(&input, 1), 42}, std::span(&result, 1));
    return result;
  }
};

TEST(HostDevice, RunsWhatIsSubmittedAndGivesItOnceAwaited) {
  Doubling host;
  const EncodingId encoding = host.device.begin();
  const RemoteId result = host.encode(encoding, 21);
  Cell value = 0;
  EXPECT_EQ(host.device.fetch(result, std::span(&value, 1)).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(host.device.await(encoding).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(host.device.submit(encoding).kind, Outcome::Kind::Done);
  EXPECT_EQ(host.device.submit(encoding).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(host.device.fetch(result, std::span(&value, 1)).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(host.device.await(encoding).kind, Outcome::Kind::Done);
  EXPECT_EQ(host.device.await(encoding).kind, Outcome::Kind::Misuse);
  EXPECT_EQ(host.device.fetch(result, std::span(&value, 1)).kind, Outcome::Kind::Done);
  EXPECT_EQ(value, 42U);
}

TEST(HostDevice, SaysWhichCommandFailed) {
  Doubling host;
  const EncodingId encoding = host.device.begin();
  host.encode(encoding, 13);
  const Outcome outcome = host.device.submit(encoding);
  EXPECT_EQ(outcome.kind, Outcome::Kind::FailedKernel);
  EXPECT_EQ(outcome.status, 7);
  EXPECT_EQ(outcome.site, 42U);
}

}  // namespace
}  // namespace tacet::engine
