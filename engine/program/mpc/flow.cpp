#include "engine/program/mpc/flow.h"

#include "base/check.h"
#include "engine/program/mpc/families.h"

namespace tacet::engine {

auto find_branches(const MpcProgram& program) -> std::vector<size_t> {
  std::vector<size_t> branches(program.code.size(), SIZE_MAX);
  std::vector<size_t> open;
  for (size_t i = 0; i < program.code.size(); ++i) {
    const MpcOpcode op = program.code[i].op;
    if (op == MpcOpcode::If || op == MpcOpcode::For || op == MpcOpcode::Loop) {
      open.push_back(i);
    } else if (op == MpcOpcode::Else) {
      branches[i] = open.back();
    } else if (op == MpcOpcode::End) {
      branches[i] = open.back();
      open.pop_back();
    }
  }
  return branches;
}

auto find_targets(const MpcProgram& program) -> std::vector<size_t> {
  std::vector<size_t> targets(program.code.size(), 0);
  std::vector<size_t> open;
  for (size_t i = 0; i < program.code.size(); ++i) {
    switch (control_kind_of(program.code[i].op)) {
      case MpcControlKind::For:
      case MpcControlKind::Loop:
      case MpcControlKind::If:
        open.push_back(i);
        break;
      case MpcControlKind::Else:
        targets[open.back()] = i;
        open.back() = i;
        break;
      case MpcControlKind::End:
        targets[open.back()] = i;
        targets[i] = open.back();
        open.pop_back();
        break;
      case MpcControlKind::Break:
      case MpcControlKind::Continue:
        for (size_t k = open.size(); k-- > 0;) {
          const MpcOpcode op = program.code[open[k]].op;
          if (op == MpcOpcode::For || op == MpcOpcode::Loop) {
            targets[i] = open[k];
            break;
          }
        }
        break;
      case MpcControlKind::None:
      case MpcControlKind::Stop:
        break;
    }
  }
  return targets;
}

auto fault_text(MpcRunFault fault) -> std::string_view {
  switch (fault) {
    case MpcRunFault::None:
      return "nothing";
    case MpcRunFault::DivisionByZero:
      return "division by zero";
    case MpcRunFault::ShiftOutOfRange:
      return "shift distance out of range";
    case MpcRunFault::PlaceOutside:
      return "write out of bounds";
    case MpcRunFault::BadStep:
      return "loop step that is not positive";
    case MpcRunFault::EmptyDraw:
      return "random integer from an empty range";
    case MpcRunFault::WideDraw:
      return "secret draw from more than 2^56 values";
  }
  return "";
}

MpcCounter::MpcCounter(const MpcProgram& program, const MpcInstruction& loop,
                       const std::vector<Cell>& bounds)
    : element_(program.registers[loop.result].type.element), at_(bounds[0]), upper_(bounds[1]) {
  size_t next = 2;
  if (loop.numbers[0] != 0) {
    const ElementType type = program.registers[loop.operands[next]].type.element;
    step_ = bounds[next++];
    if (evaluate(BinaryOperation::Greater, type, step_, 0).value == 0) {
      fault_ = MpcRunFault::BadStep;
      is_over_ = true;
    }
  }
  if (loop.numbers[1] != 0) {
    max_ = bounds[next];
    type_of_max_ = program.registers[loop.operands[next]].type.element;
  }
}

auto MpcCounter::continues() const -> bool {
  if (is_over_ || evaluate(BinaryOperation::Less, element_, at_, upper_).value == 0) {
    return false;
  }
  // A number of iterations fits every type of which `max` is.
  return !max_ || (static_cast<int64_t>(*max_) < 0 && is_signed_integer(type_of_max_.kind)
                       ? false
                       : n_iterations_ < *max_);
}

void MpcCounter::next() {
  const Cell after = evaluate(BinaryOperation::Add, element_, at_, step_).value;
  is_over_ = evaluate(BinaryOperation::Greater, element_, after, at_).value == 0;
  at_ = after;
  ++n_iterations_;
}

/// The next iteration of a loop, or what follows it.
auto MpcControl::iterate(size_t begin) -> MpcStep {
  const MpcInstruction& loop = program_.code[begin];
  if (loop.op == MpcOpcode::Loop) {
    return {.next = begin + 1};
  }
  if (!counters_.back().continues()) {
    counters_.pop_back();
    return {.next = targets_[begin] + 1};
  }
  return {.next = begin + 1, .counter = MpcStep::Counter{loop.result, counters_.back().at()}};
}

auto MpcControl::step(size_t at, const std::vector<Cell>& operands) -> MpcStep {
  const MpcInstruction& instruction = program_.code[at];
  switch (control_kind_of(instruction.op)) {
    case MpcControlKind::For: {
      counters_.emplace_back(program_, instruction, operands);
      const MpcRunFault fault = counters_.back().fault();
      MpcStep step = iterate(at);
      step.fault = fault;
      return step;
    }
    case MpcControlKind::Loop:
      return {.next = at + 1};
    case MpcControlKind::If:
      return {.next = operands[0] != 0 ? at + 1 : targets_[at] + 1};
    case MpcControlKind::Else:
      return {.next = targets_[at] + 1};
    case MpcControlKind::End:
    case MpcControlKind::Continue: {
      const size_t begin = targets_[at];
      const MpcOpcode op = program_.code[begin].op;
      if (op == MpcOpcode::For) {
        counters_.back().next();
      }
      return op == MpcOpcode::For || op == MpcOpcode::Loop ? iterate(begin)
                                                           : MpcStep{.next = at + 1};
    }
    case MpcControlKind::Break: {
      const size_t begin = targets_[at];
      if (program_.code[begin].op == MpcOpcode::For) {
        counters_.pop_back();
      }
      return {.next = targets_[begin] + 1};
    }
    case MpcControlKind::Stop:
      return {.next = program_.code.size()};
    case MpcControlKind::None:
      break;
  }
  TACET_CHECK(false, "not an instruction of control");
}

}  // namespace tacet::engine
