#include <algorithm>

#include "base/check.h"
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

auto Machine::repeat_unary(const Instruction& at, const Instruction& body) -> bool {
  for (uint64_t i = 0; i < at.operands[0]; ++i) {
    slots_[body.operands[0] + i] =
        evaluate_unary(body, slots_[body.operands[1] + i * at.operands[1]]);
  }
  return true;
}

auto Machine::repeat(const Instruction& at) -> bool {
  const Instruction& body = program_.instructions[pc_ + 1];
  if (!spend(at.operands[0])) {
    return false;
  }
  ++pc_;  // a fault is the operator's
  if (!is_binary(body.opcode)) {
    return repeat_unary(at, body);
  }
  BinaryOperation operation = binary_operation(body.opcode);
  for (uint64_t i = 0; i < at.operands[0]; ++i) {
    Cell left = slots_[body.operands[1] + i * at.operands[1]];
    Cell right = slots_[body.operands[2] + i * at.operands[2]];
    ArithmeticResult result = evaluate(operation, body.type, left, right);
    if (result.fault != ArithmeticFault::None) [[unlikely]] {
      fail(result.fault, left, right);
      return false;
    }
    slots_[body.operands[0] + i] = result.value;
  }
  return true;
}

void Machine::reduce(const Instruction& at, BinaryOperation operation) {
  const Cell* source = slots_ + at.operands[1];
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
      slots_[at.operands[0] + outer * n_inner + inner] = total;
    }
  }
}

void Machine::rotate(const Instruction& at) {
  uint64_t n = at.operands[3];
  uint64_t width = at.operands[4];
  if (n == 0) {
    return;
  }
  auto amount = static_cast<int64_t>(slots_[at.operands[2]]) % static_cast<int64_t>(n);
  uint64_t first = static_cast<uint64_t>(amount < 0 ? amount + static_cast<int64_t>(n) : amount);
  const Cell* source = slots_ + at.operands[1];
  Cell* target = slots_ + at.operands[0];
  std::copy_n(source + first * width, (n - first) * width, target);
  std::copy_n(source, first * width, target + (n - first) * width);
}

auto Machine::apply(const Instruction& at) -> bool {
  const FunctionPlace& place = program_.applied[at.operands[3]];
  if (!spend(uint64_t{place.n_first} + place.n_second)) {
    return false;
  }
  engine::evaluate(place.function, at.type, {slots_ + at.operands[1], place.n_first},
                   {slots_ + at.operands[2], place.n_second},
                   {slots_ + at.operands[0], place.n_result});
  return true;
}

void Machine::split_rng(const Instruction& at) {
  engine::DynamicRngState state = engine::dynamic_state_of({slots_ + at.operands[1], kRngCells});
  state.append(options_.random_key, slots_[at.operands[2]]);
  const auto cells = engine::cells_of(state);
  std::copy(cells.begin(), cells.end(), slots_ + at.operands[0]);
}

auto Machine::check_bound(const Instruction& at) -> bool {
  const uint32_t n = at.operands[1];
  const Cell end = uint64_t{at.operands[2]} | uint64_t{at.operands[3]} << 32;
  if (n > 1 && !spend(n - 1)) {
    return false;
  }
  const auto holds =
      at.opcode == Opcode::CheckLeast ? BinaryOperation::GreaterEqual : BinaryOperation::LessEqual;
  for (uint32_t i = 0; i < n; ++i) {
    const Cell cell = slots_[at.operands[0] + i];
    if (evaluate(holds, at.type, cell, end).value == 0) {
      fail(Fault::BrokenBound, cell, end);
      return false;
    }
  }
  return true;
}

auto Machine::draw(const Instruction& at) -> bool {
  const DrawPlace& place = program_.draws[at.operands[2]];
  const std::span<const Cell> arguments(slots_ + at.operands[3], n_arguments(place.function));
  if (options_.audits_draws) {
    // Two static strings are equal if they belong to one place, or to two that should differ.
    std::vector<Cell> place_words = place.bits.words();
    place_words.push_back(place.bits.size());
    place_words.insert(place_words.end(), slots_ + at.operands[1],
                       slots_ + at.operands[1] + kRngCells);
    TACET_CHECK(drawn_.insert(std::move(place_words)).second, "two draws have one place");
  }
  engine::PublicRandomStream stream(
      engine::block_source(options_.random_key, draws_[at.operands[2]],
                           engine::dynamic_state_of({slots_ + at.operands[1], kRngCells})),
      isa_);
  const std::optional<std::vector<Cell>> drawn =
      engine::draw(place.function, at.type, arguments, place.extent, stream);
  if (!drawn) {
    fail(Fault::EmptyDraw, arguments[0]);
    return false;
  }
  std::copy(drawn->begin(), drawn->end(), slots_ + at.operands[0]);
  return spend(drawn->size());
}

auto Machine::call_extern(const ExternFunction& function, const HostFunction* host, Cell* at)
    -> bool {
  if (host == nullptr) {
    fail(Fault::MissingExtern, pc_);
    return false;
  }
  std::vector<int64_t> inputs(function.n_input_cells);
  std::transform(at, at + inputs.size(), inputs.begin(),
                 [](Cell cell) { return static_cast<int64_t>(cell); });
  std::vector<int64_t> outputs(function.outputs.size());
  int status = (*host)(inputs, outputs);
  if (status != 0) {
    fail(Fault::FailedExtern, static_cast<Cell>(static_cast<int64_t>(status)));
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
