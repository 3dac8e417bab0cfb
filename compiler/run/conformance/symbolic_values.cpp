#include "compiler/run/conformance/symbolic_state.h"

// Operations on terms: of one element, and of arrays.

namespace tacet::conformance {

using interpret::Opcode;

auto Run::operation(const Instruction& at, TermId a, TermId b) -> TermId {
  TACET_CHECK(is_binary(at.opcode), "not a binary operator");
  const BinaryOperation which = interpret::binary_operation(at.opcode);
  // What has no fault computes the same where the other has none.
  if (const BinaryOperation with_faults = engine::partial(which); with_faults != which) {
    return terms_.binary(with_faults, at.type, a, b);
  }
  const bool divides = which == BinaryOperation::Div || which == BinaryOperation::Rem;
  if (divides && !is_float(at.type.kind)) {
    may_fail(terms_.binary(BinaryOperation::Equal, at.type, b, terms_.number(0)));
  }
  if (which == BinaryOperation::Shl || which == BinaryOperation::Shr ||
      which == BinaryOperation::ShrArithmetic) {
    const TermId width = terms_.number(bit_width(at.type.kind));
    const TermId is_above = terms_.binary(BinaryOperation::GreaterEqual, at.type, b, width);
    may_fail(terms_.disjunction(terms_.binary(BinaryOperation::Less, at.type, b, terms_.number(0)),
                                is_above));
  }
  return terms_.binary(which, at.type, a, b);
}

auto Run::unary(const Instruction& at, TermId a) -> TermId {
  if (at.opcode == Opcode::Negate) {
    return terms_.unary(TermKind::Negate, at.type, a);
  }
  if (at.opcode == Opcode::Not) {
    return terms_.unary(TermKind::Not, at.type, a);
  }
  if (at.opcode == Opcode::Complement) {
    return terms_.unary(TermKind::Complement, at.type, a);
  }
  if (at.opcode == Opcode::Cast) {
    return terms_.cast(
        {static_cast<ElementKind>(at.operands[2]), static_cast<uint8_t>(at.operands[3])}, at.type,
        a);
  }
  return a;  // Move
}

auto Run::repeat(State& state, const Instruction& at) -> Progress {
  const Instruction& body = program_.instructions[state.pc + 1];
  for (uint64_t i = 0; i < at.operands[0]; ++i) {
    if (!may_go_on()) {
      return Progress::Undecided;
    }
    const TermId a = slot(state, body.operands[1] + i * at.operands[1]);
    slot(state, body.operands[0] + i) =
        is_binary(body.opcode)
            ? operation(body, a, slot(state, body.operands[2] + i * at.operands[2]))
            : unary(body, a);
  }
  state.pc += 2;
  return Progress::Arrived;
}

auto Run::reduce(State& state, const Instruction& at) -> Progress {
  const uint64_t n_outer = at.operands[2];
  const uint64_t n_reduced = at.operands[3];
  const uint64_t n_inner = at.operands[4];
  const bool is_sum = at.opcode == Opcode::Sum;
  for (uint64_t outer = 0; outer < n_outer; ++outer) {
    for (uint64_t inner = 0; inner < n_inner; ++inner) {
      TermId total = terms_.number(is_sum ? 0 : one(at.type));
      for (uint64_t k = 0; k < n_reduced; ++k) {
        if (!may_go_on()) {
          return Progress::Undecided;
        }
        const TermId element =
            slot(state, at.operands[1] + (outer * n_reduced + k) * n_inner + inner);
        total = terms_.binary(is_sum ? BinaryOperation::Add : BinaryOperation::Mul, at.type, total,
                              element);
      }
      slot(state, at.operands[0] + outer * n_inner + inner) = total;
    }
  }
  ++state.pc;
  return Progress::Arrived;
}

auto Run::rotate(State& state, const Instruction& at) -> Progress {
  const Cell* given = number_in(slot(state, at.operands[2]));
  if (given == nullptr) {
    return untold("a rotation distance depends on its inputs");
  }
  const uint64_t n = at.operands[3];
  const uint64_t width = at.operands[4];
  if (n > 0) {
    const auto amount = static_cast<int64_t>(*given) % static_cast<int64_t>(n);
    const auto first =
        static_cast<uint64_t>(amount < 0 ? amount + static_cast<int64_t>(n) : amount);
    n_steps_ += n * width;
    copy(state, at_slot(state, at.operands[1] + first * width), at_slot(state, at.operands[0]),
         (n - first) * width);
    copy(state, at_slot(state, at.operands[1]),
         at_slot(state, at.operands[0] + (n - first) * width), first * width);
  }
  ++state.pc;
  return Progress::Arrived;
}

/// An address is a number, all ones where that is outside, or a term that says which one it is.
void Run::index(State& state, const Instruction& at) {
  const TermId index = slot(state, at.operands[1]);
  TermId& address = slot(state, at.operands[0]);
  const Cell extent = at.operands[2];
  const Cell* known = number_in(index);
  const Cell* outer = number_in(address);
  if (at.opcode == Opcode::CheckIndex) {
    const TermId is_above =
        terms_.binary(BinaryOperation::GreaterEqual, engine::kI64, index, terms_.number(extent));
    may_fail(terms_.disjunction(
        terms_.binary(BinaryOperation::Less, engine::kI64, index, terms_.number(0)), is_above));
  }
  if (known != nullptr && (*known >= extent || (outer != nullptr && *outer == kAllOnes))) {
    address = terms_.number(kAllOnes);
  } else if (known != nullptr && outer != nullptr) {
    address = terms_.number(*outer * extent + *known);
  } else if (outer == nullptr || *outer != kAllOnes) {
    address = terms_.address(address, index, extent);
  }
}

auto Run::n_places(TermId address) const -> Cell {
  const Term& term = terms_[address];
  if (term.kind != TermKind::Address) {
    return term.number + 1;
  }
  return std::min<Cell>(n_places(term.a), limits_.max_selected + 1) * term.number;
}

/// Whether the address is this one.
auto Run::is_at(TermId address, Cell place) -> TermId {
  const Term term = terms_[address];
  if (term.kind != TermKind::Address) {
    return terms_.number(term.number == place ? 1 : 0);
  }
  const TermId inner = terms_.binary(BinaryOperation::Equal, engine::kI64, term.b,
                                     terms_.number(place % term.number));
  return terms_.conjunction(is_at(term.a, place / term.number), inner);
}

auto Run::fetch(State& state, const Instruction& at) -> Progress {
  const TermId address = slot(state, at.operands[2]);
  const uint64_t width = at.operands[3];
  const uint64_t source = at_slot(state, at.operands[1]);
  if (const Cell* known = number_in(address)) {
    if (*known == kAllOnes) {
      std::fill_n(state.cells.begin() + static_cast<std::ptrdiff_t>(at_slot(state, at.operands[0])),
                  width, terms_.number(0));
    } else {
      copy(state, source + *known * width, at_slot(state, at.operands[0]), width);
    }
    ++state.pc;
    return Progress::Arrived;
  }
  const Cell n = n_places(address);
  if (n * width > limits_.max_selected) {
    return untold("the index of a read from a large array depends on its inputs");
  }
  std::vector<TermId> found(width, terms_.number(0));
  for (Cell place = 0; place < n; ++place) {
    const TermId is_here = is_at(address, place);
    for (uint64_t i = 0; i < width; ++i) {
      found[i] = terms_.select(is_here, state.cells[source + place * width + i], found[i]);
    }
  }
  n_steps_ += n * width;
  std::copy(found.begin(), found.end(),
            state.cells.begin() + static_cast<std::ptrdiff_t>(at_slot(state, at.operands[0])));
  ++state.pc;
  return Progress::Arrived;
}

auto Run::put(State& state, const Instruction& at) -> Progress {
  const TermId address = slot(state, at.operands[1]);
  const uint64_t width = at.operands[3];
  const uint64_t target = at_slot(state, at.operands[0]);
  const uint64_t source = at_slot(state, at.operands[2]);
  if (const Cell* known = number_in(address)) {
    if (*known != kAllOnes) {
      copy(state, source, target + *known * width, width);
    }
    ++state.pc;
    return Progress::Arrived;
  }
  const Cell n = n_places(address);
  if (n * width > limits_.max_selected) {
    return untold("the index of a write to a large array depends on its inputs");
  }
  for (Cell place = 0; place < n; ++place) {
    const TermId is_here = is_at(address, place);
    for (uint64_t i = 0; i < width; ++i) {
      TermId& element = state.cells[target + place * width + i];
      element = terms_.select(is_here, state.cells[source + i], element);
    }
  }
  n_steps_ += n * width;
  ++state.pc;
  return Progress::Arrived;
}

auto Run::reference(State& state, const Instruction& at) -> Progress {
  const uint32_t* operands = at.operands;
  if (at.opcode == Opcode::Reference) {
    slot(state, operands[0]) = terms_.number(at_slot(state, operands[1]));
    ++state.pc;
    return Progress::Arrived;
  }
  const Cell* place = number_in(slot(state, operands[0 + (at.opcode == Opcode::Load ? 1 : 0)]));
  if (place == nullptr) {
    return untold("the target of a reference depends on its inputs");
  }
  const Cell cell = *place;
  if (at.opcode == Opcode::Load) {
    copy(state, cell, at_slot(state, operands[0]), operands[2]);
  } else if (at.opcode == Opcode::Store) {
    copy(state, at_slot(state, operands[1]), cell, operands[2]);
  } else if (cell >= state.base) {
    may_fail(terms_.number(1));
    return Progress::Failed;
  }
  ++state.pc;
  return Progress::Arrived;
}

}  // namespace tacet::conformance
