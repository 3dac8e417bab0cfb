#include <algorithm>

#include "base/check.h"
#include "compiler/front/types/value_bound.h"
#include "compiler/run/interpret/machine_state.h"

// Instructions that work on many cells, and calls of the host.

namespace tacet::interpret {

auto evaluate_unary(const Instruction& at, Cell operand) -> Cell {
  if (at.opcode == Opcode::Negate) {
    return evaluate(UnaryOperation::Negate, at.type, operand);
  }
  if (at.opcode == Opcode::Not) {
    return evaluate(UnaryOperation::Not, at.type, operand);
  }
  if (at.opcode == Opcode::Complement) {
    return evaluate(UnaryOperation::Complement, at.type, operand);
  }
  if (at.opcode == Opcode::Move) {
    return operand;
  }
  TACET_CHECK(at.opcode == Opcode::Cast, "not an operator of one operand");
  return cast({static_cast<ElementKind>(at.operands[2]), static_cast<uint8_t>(at.operands[3])},
              at.type, operand);
}

static void repeat_unary(Machine& machine, const Instruction& at, const Instruction& body) {
  for (uint64_t i = 0; i < at.operands[0]; ++i) {
    machine.slots[body.operands[0] + i] =
        evaluate_unary(body, machine.slots[body.operands[1] + i * at.operands[1]]);
  }
}

auto repeat(Machine& machine, const Instruction& at) -> bool {
  const Instruction& body = machine.program.instructions[machine.pc + 1];
  if (!spend(machine, at.operands[0])) {
    return false;
  }
  ++machine.pc;  // a fault is the operator's
  if (!is_binary(body.opcode)) {
    repeat_unary(machine, at, body);
    return true;
  }
  BinaryOperation operation = binary_operation(body.opcode);
  for (uint64_t i = 0; i < at.operands[0]; ++i) {
    Cell left = machine.slots[body.operands[1] + i * at.operands[1]];
    Cell right = machine.slots[body.operands[2] + i * at.operands[2]];
    ArithmeticResult result = evaluate(operation, body.type, left, right);
    if (result.fault != ArithmeticFault::None) [[unlikely]] {
      fail(machine, result.fault, left, right);
      return false;
    }
    machine.slots[body.operands[0] + i] = result.value;
  }
  return true;
}

void reduce(Machine& machine, const Instruction& at, BinaryOperation operation) {
  const Cell* source = machine.slots + at.operands[1];
  uint64_t n_outer = at.operands[2];
  uint64_t n_reduced = at.operands[3];
  uint64_t n_inner = at.operands[4];
  Cell identity = operation == BinaryOperation::Add ? Cell{0} : one(at.type);
  for (uint64_t outer = 0; outer < n_outer; ++outer) {
    for (uint64_t inner = 0; inner < n_inner; ++inner) {
      Cell total = identity;
      for (uint64_t k = 0; k < n_reduced; ++k) {
        total =
            evaluate(operation, at.type, total, source[(outer * n_reduced + k) * n_inner + inner])
                .value;
      }
      machine.slots[at.operands[0] + outer * n_inner + inner] = total;
    }
  }
}

void rotate(Machine& machine, const Instruction& at) {
  uint64_t n = at.operands[3];
  uint64_t width = at.operands[4];
  if (n == 0) {
    return;
  }
  auto amount = static_cast<int64_t>(machine.slots[at.operands[2]]) % static_cast<int64_t>(n);
  uint64_t first = static_cast<uint64_t>(amount < 0 ? amount + static_cast<int64_t>(n) : amount);
  const Cell* source = machine.slots + at.operands[1];
  Cell* target = machine.slots + at.operands[0];
  std::copy_n(source + first * width, (n - first) * width, target);
  std::copy_n(source, first * width, target + (n - first) * width);
}

auto apply(Machine& machine, const Instruction& at) -> bool {
  const FunctionPlace& place = machine.program.applied[at.operands[3]];
  if (!spend(machine, uint64_t{place.n_first} + place.n_second)) {
    return false;
  }
  engine::evaluate(place.function, at.type, {machine.slots + at.operands[1], place.n_first},
                   {machine.slots + at.operands[2], place.n_second},
                   {machine.slots + at.operands[0], place.n_result});
  return true;
}

void split_rng(Machine& machine, const Instruction& at) {
  engine::DynamicRngState state =
      engine::dynamic_state_of({machine.slots + at.operands[1], kRngCells});
  state.append(machine.options.random_key, machine.slots[at.operands[2]]);
  const auto cells = engine::cells_of(state);
  std::copy(cells.begin(), cells.end(), machine.slots + at.operands[0]);
}

auto check_bound(Machine& machine, const Instruction& at) -> bool {
  const uint32_t n = at.operands[1];
  const Cell end = uint64_t{at.operands[2]} | uint64_t{at.operands[3]} << 32;
  if (n > 1 && !spend(machine, n - 1)) {
    return false;
  }
  const auto holds =
      at.opcode == Opcode::CheckLeast ? BinaryOperation::GreaterEqual : BinaryOperation::LessEqual;
  for (uint32_t i = 0; i < n; ++i) {
    const Cell cell = machine.slots[at.operands[0] + i];
    if (evaluate(holds, at.type, cell, end).value == 0) {
      fail(machine, Fault::BrokenBound, cell, end);
      return false;
    }
  }
  return true;
}

auto check_norm(Machine& machine, const Instruction& at) -> bool {
  const uint32_t n = at.operands[1];
  const Cell norm = uint64_t{at.operands[2]} | uint64_t{at.operands[3]} << 32;
  if (n > 1 && !spend(machine, n - 1)) {
    return false;
  }
  const types::ValueBound bound{.norm = norm};
  if (const auto item = types::exceeds_norm(bound, at.operands[4],
                                            std::span(machine.slots + at.operands[0], n))) {
    fail(machine, Fault::BrokenNorm, Cell{*item}, norm);
    return false;
  }
  return true;
}

auto draw(Machine& machine, const Instruction& at) -> bool {
  const DrawPlace& place = machine.program.draws[at.operands[2]];
  const std::span<const Cell> arguments(machine.slots + at.operands[3],
                                        n_arguments(place.function));
  if (machine.options.audits_draws) {
    // Two static strings are equal if they belong to one place, or to two that should differ.
    std::vector<Cell> place_words = place.bits.words();
    place_words.push_back(place.bits.size());
    place_words.insert(place_words.end(), machine.slots + at.operands[1],
                       machine.slots + at.operands[1] + kRngCells);
    TACET_CHECK(machine.drawn.insert(std::move(place_words)).second, "two draws have one place");
  }
  engine::PublicRandomStream stream(
      engine::block_source(machine.options.random_key, machine.draws[at.operands[2]],
                           engine::dynamic_state_of({machine.slots + at.operands[1], kRngCells})),
      machine.isa);
  const std::optional<std::vector<Cell>> drawn =
      engine::draw(place.function, at.type, arguments, place.extent, stream);
  if (!drawn) {
    fail(machine, Fault::EmptyDraw, arguments[0]);
    return false;
  }
  std::copy(drawn->begin(), drawn->end(), machine.slots + at.operands[0]);
  return spend(machine, drawn->size());
}

auto call_extern(Machine& machine, const ExternFunction& function, const HostFunction* host,
                 Cell* at) -> bool {
  if (host == nullptr) {
    fail(machine, Fault::MissingExtern, machine.pc);
    return false;
  }
  std::vector<int64_t> inputs(function.n_input_cells);
  std::transform(at, at + inputs.size(), inputs.begin(),
                 [](Cell cell) { return static_cast<int64_t>(cell); });
  std::vector<int64_t> outputs(function.outputs.size());
  int status = (*host)(inputs, outputs);
  if (status != 0) {
    fail(machine, Fault::FailedExtern, static_cast<Cell>(static_cast<int64_t>(status)));
    return false;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    // Nothing forces a host to stay in the range of a type.
    ElementType type = function.outputs[i];
    auto cell = static_cast<Cell>(outputs[i]);
    at[i] = type.kind == ElementKind::Bool ? Cell{cell != 0} : wrapped(type.kind, cell);
  }
  return true;
}

}  // namespace tacet::interpret
