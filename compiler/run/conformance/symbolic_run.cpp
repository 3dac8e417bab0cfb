#include "compiler/run/conformance/symbolic_run.h"

#include "compiler/run/conformance/symbolic_state.h"

namespace tacet::conformance {

using interpret::kSuspensionCells;
using interpret::Opcode;

auto Run::step(State& state) -> Progress {
  const Instruction& at = program_.instructions[state.pc];
  const uint32_t* operands = at.operands;
  switch (at.opcode) {
    case Opcode::Const:
      slot(state, operands[0]) = terms_.number(uint64_t{operands[1]} | uint64_t{operands[2]} << 32);
      break;
    case Opcode::Add:
    case Opcode::Sub:
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
      slot(state, operands[0]) = operation(at, slot(state, operands[1]), slot(state, operands[2]));
      break;
    case Opcode::Negate:
    case Opcode::Not:
    case Opcode::Complement:
    case Opcode::Cast:
      slot(state, operands[0]) = unary(at, slot(state, operands[1]));
      break;
    case Opcode::Move:
      copy(state, at_slot(state, operands[1]), at_slot(state, operands[0]), operands[2]);
      break;
    case Opcode::Zero:
      for (uint32_t i = 0; i < operands[1]; ++i) {
        slot(state, operands[0] + i) = terms_.number(0);
      }
      break;
    case Opcode::Repeat:
      return repeat(state, at);
    case Opcode::Sum:
    case Opcode::Product:
      return reduce(state, at);
    case Opcode::Rotate:
      return rotate(state, at);
    case Opcode::Apply:
      return apply(state, at);
    case Opcode::Index:
    case Opcode::CheckIndex:
      index(state, at);
      break;
    case Opcode::Fetch:
      return fetch(state, at);
    case Opcode::Put:
      return put(state, at);
    case Opcode::Reference:
    case Opcode::Load:
    case Opcode::Store:
    case Opcode::CheckReference:
      return reference(state, at);
    case Opcode::CheckLeast:
    case Opcode::CheckMost:
    case Opcode::CheckNorm:
      break;  // what is compared is compared on arguments within bounds
    case Opcode::Note:
    case Opcode::Mark:
    case Opcode::Reveal:
      break;
    case Opcode::SplitRng:
    case Opcode::Draw:
      return untold("it draws random numbers");
    case Opcode::CallExtern:
      return untold("it calls an extern");
    case Opcode::Pass:
      copy(state, at_slot(state, operands[1]), state.top + kHeaderCells + operands[0], operands[2]);
      break;
    case Opcode::Take:
      copy(state, state.top + kHeaderCells + operands[1], at_slot(state, operands[0]), operands[2]);
      break;
    case Opcode::Jump:
    case Opcode::Loop:
      state.pc = operands[0];
      return Progress::Arrived;
    case Opcode::JumpIf:
      return branch(state, slot(state, operands[0]), operands[1], state.pc + 1);
    case Opcode::JumpUnless:
      return branch(state, slot(state, operands[0]), state.pc + 1, operands[1]);
    case Opcode::Force:
      return force(state, at);
    case Opcode::Done:
      state.pc = static_cast<uint32_t>(terms_[slot(state, operands[0])].number);
      slot(state, operands[0]) = terms_.control(kAllOnes);
      return Progress::Arrived;
    case Opcode::Suspend:
      slot(state, operands[0]) =
          terms_.control(uint64_t{operands[1]} | uint64_t{state.function} << 32);
      slot(state, operands[0] + 1) = terms_.control(state.base);
      break;
    case Opcode::Need:
      return need(state, at);
    case Opcode::Settle:
      return settle(state, at);
    case Opcode::Call:
    case Opcode::TailCall:
      return call(state, at);
    case Opcode::Return:
      return leave(state, at);
    case Opcode::Fail:
      return fail(at);
  }
  ++state.pc;
  return Progress::Arrived;
}

auto Run::force(State& state, const Instruction& at) -> Progress {
  const Cell memory = terms_[slot(state, at.operands[0])].number;
  if (memory == kAllOnes) {
    ++state.pc;
    return Progress::Arrived;
  }
  if (memory != 0) {
    may_fail(terms_.number(1));  // a definition that needs itself
    return Progress::Failed;
  }
  slot(state, at.operands[0]) = terms_.control(state.pc + 1);
  state.pc = at.operands[1];
  return Progress::Arrived;
}

auto Run::fail(const Instruction& at) -> Progress {
  const auto fault = static_cast<interpret::Fault>(at.operands[0]);
  if (fault == interpret::Fault::Hole || fault == interpret::Fault::Unsupported) {
    return untold("part of it cannot be run yet");
  }
  may_fail(terms_.number(1));
  return Progress::Failed;
}

auto Run::branch(State& state, TermId condition, uint32_t if_true, uint32_t if_false) -> Progress {
  if (const Cell* known = number_in(condition)) {
    state.pc = *known != 0 ? if_true : if_false;
    return Progress::Arrived;
  }
  if (n_branches_ >= limits_.max_depth) {
    return untold("the length of a loop depends on its inputs, or too many branches are nested");
  }
  const Stop stop{.depth = state.depth, .pc = joins_.of(state.pc)};
  const TermId path = path_;
  State other = state;
  state.pc = if_true;
  other.pc = if_false;
  n_branches_ += 1;
  path_ = terms_.conjunction(path, condition);
  const Progress first = go(state, stop);
  path_ = terms_.conjunction(path, terms_.negation(condition));
  const Progress second = first == Progress::Undecided ? first : go(other, stop);
  path_ = path;
  n_branches_ -= 1;
  if (first == Progress::Undecided || second == Progress::Undecided) {
    return Progress::Undecided;
  }
  if (first == Progress::Failed) {
    state = std::move(other);
    return second;
  }
  return second == Progress::Failed ? first : merge(state, other, condition, state);
}

auto Run::merge(const State& a, const State& b, TermId condition, State& into) -> Progress {
  const bool are_together = a.base == b.base && a.top == b.top && a.pc == b.pc &&
                            a.function == b.function && a.depth == b.depth &&
                            a.is_done == b.is_done;
  if (!are_together) {
    return untold("the calls it makes depend on its inputs");
  }
  const size_t n = std::min(a.cells.size(), b.cells.size());
  n_steps_ += n;
  for (size_t i = 0; i < n; ++i) {
    if (a.cells[i] != b.cells[i]) {
      into.cells[i] = merged(a.cells[i], b.cells[i], condition);
    }
  }
  return Progress::Arrived;
}

/// Values missing on one of the paths are computed again after the join.
auto Run::merged(TermId a, TermId b, TermId condition) -> TermId {
  const bool is_control =
      terms_[a].kind == TermKind::Control || terms_[b].kind == TermKind::Control;
  if (!is_control) {
    return terms_.select(condition, a, b);
  }
  if (terms_[a].kind != terms_[b].kind) {
    return terms_.control(kUnusable);
  }
  if (terms_[a].number == kAllOnes) {
    return b;
  }
  return terms_[b].number == kAllOnes ? a : terms_.control(kUnusable);
}

auto Run::call(State& state, const Instruction& at) -> Progress {
  const Function& callee = program_.functions[at.operands[0]];
  if (at.opcode == Opcode::TailCall) {
    copy(state, state.top + kHeaderCells, at_slot(state, 0), callee.n_parameter_cells);
    enter(state, at.operands[0]);
    return Progress::Arrived;
  }
  const uint64_t caller = state.base;
  const Cell return_to = uint64_t{state.pc + 1} | uint64_t{state.function} << 32;
  state.base = state.top;
  enter(state, at.operands[0]);
  state.depth += 1;
  state.cells[state.base] = terms_.control(return_to);
  state.cells[state.base + 1] = terms_.control(caller);
  return state.cells.size() <= limits_.max_cells ? Progress::Arrived : untold("it is too large");
}

auto Run::leave(State& state, const Instruction& at) -> Progress {
  copy(state, at_slot(state, at.operands[0]), at_slot(state, 0), at.operands[1]);
  const Cell return_to = terms_[state.cells[state.base]].number;
  if (return_to == kAllOnes) {
    state.is_done = true;
    return Progress::Arrived;
  }
  state.top = state.base;
  state.base = terms_[state.cells[state.base + 1]].number;
  state.pc = static_cast<uint32_t>(return_to);
  state.function = static_cast<uint32_t>(return_to >> 32);
  state.depth -= 1;
  return Progress::Arrived;
}

auto Run::need(State& state, const Instruction& at) -> Progress {
  const TermId code_cell = slot(state, at.operands[0]);
  const Cell* code = number_in(code_cell);
  if (code == nullptr || *code == kUnusable) {
    return untold("the calls it makes depend on its inputs");
  }
  if (*code == kAllOnes) {
    ++state.pc;
    return Progress::Arrived;
  }
  const auto owner = static_cast<uint32_t>(*code >> 32);
  const Cell owner_base = terms_[slot(state, at.operands[0] + 1)].number;
  const uint64_t end =
      state.top + 2 * uint64_t{kHeaderCells} + program_.functions[owner].n_outgoing_cells;
  if (state.cells.size() < end) {
    state.cells.resize(end, terms_.number(0));
  }
  state.cells[state.top] = terms_.control(uint64_t{state.pc + 1} | uint64_t{state.function} << 32);
  state.cells[state.top + 1] = terms_.control(state.base);
  state.top += kHeaderCells;
  state.pc = static_cast<uint32_t>(*code);
  state.base = owner_base;
  state.function = owner;
  state.depth += 1;
  return Progress::Arrived;
}

auto Run::settle(State& state, const Instruction& at) -> Progress {
  state.top -= kHeaderCells;
  const Cell asking = terms_[state.cells[state.top]].number;
  const Cell asking_base = terms_[state.cells[state.top + 1]].number;
  const auto pc = static_cast<uint32_t>(asking);
  const uint64_t parameter = asking_base + kHeaderCells + program_.instructions[pc - 1].operands[0];
  copy(state, at_slot(state, at.operands[0]), parameter + kSuspensionCells, at.operands[1]);
  state.cells[parameter] = terms_.control(kAllOnes);
  state.function = static_cast<uint32_t>(asking >> 32);
  state.base = asking_base;
  state.pc = pc;
  state.depth -= 1;
  return Progress::Arrived;
}

auto run_symbolically(const interpret::Executable& executable, const std::vector<TermId>& inputs,
                      Terms& terms, const SymbolicLimits& limits) -> SymbolicResult {
  return Run(executable, terms, limits).run(inputs);
}

}  // namespace tacet::conformance
