#include "compiler/run/conformance/terms.h"

namespace tacet::conformance {

using engine::ArithmeticFault;
using engine::ArithmeticResult;

auto Terms::Hash::operator()(const Term& term) const -> size_t {
  uint64_t hash = term.number;
  const auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  };
  mix(static_cast<uint64_t>(term.kind) | static_cast<uint64_t>(term.operation) << 8 |
      static_cast<uint64_t>(term.type.kind) << 16 | uint64_t{term.type.fraction_bits} << 24 |
      static_cast<uint64_t>(term.from.kind) << 32 | uint64_t{term.from.fraction_bits} << 40);
  mix(uint64_t{term.a.index} | uint64_t{term.b.index} << 32);
  mix(term.c.index);
  return hash;
}

auto Terms::intern(const Term& term) -> TermId {
  const auto [known, is_new] = ids_.try_emplace(term, TermId{});
  if (is_new) {
    known->second = terms_.add(term);
  }
  return known->second;
}

auto Terms::binary(BinaryOperation operation, ElementType type, TermId a, TermId b) -> TermId {
  if (is_number(a) && is_number(b)) {
    const ArithmeticResult result = evaluate(operation, type, terms_[a].number, terms_[b].number);
    return number(result.fault == ArithmeticFault::None ? result.value : 0);
  }
  if (is_integer(type.kind)) {
    const bool is_product = operation == BinaryOperation::Mul;
    const bool is_sum = operation == BinaryOperation::Add;
    if (is_product && (is_number(a, 0) || is_number(b, 0))) {
      return number(0);
    }
    if ((is_product && is_number(a, 1)) || (is_sum && is_number(a, 0))) {
      return b;
    }
    if ((is_product && is_number(b, 1)) || (is_sum && is_number(b, 0)) ||
        (operation == BinaryOperation::Sub && is_number(b, 0))) {
      return a;
    }
  }
  return intern({.kind = TermKind::Binary, .operation = operation, .type = type, .a = a, .b = b});
}

auto Terms::unary(TermKind kind, ElementType type, TermId a) -> TermId {
  if (is_number(a)) {
    const auto operation = kind == TermKind::Negate ? engine::UnaryOperation::Negate
                           : kind == TermKind::Not  ? engine::UnaryOperation::Not
                                                    : engine::UnaryOperation::Complement;
    return number(evaluate(operation, type, terms_[a].number));
  }
  if (terms_[a].kind == kind && terms_[a].type == type) {
    return terms_[a].a;
  }
  return intern({.kind = kind, .type = type, .a = a});
}

auto Terms::cast(ElementType from, ElementType to, TermId a) -> TermId {
  if (from == to) {
    return a;
  }
  if (is_number(a)) {
    return number(engine::cast(from, to, terms_[a].number));
  }
  return intern({.kind = TermKind::Cast, .type = to, .from = from, .a = a});
}

auto Terms::select(TermId condition, TermId then, TermId otherwise) -> TermId {
  if (then == otherwise) {
    return then;
  }
  if (is_number(condition)) {
    return is_number(condition, 0) ? otherwise : then;
  }
  return intern({.kind = TermKind::Select, .a = condition, .b = then, .c = otherwise});
}

auto Terms::address(TermId outer, TermId index, Cell extent) -> TermId {
  return intern({.kind = TermKind::Address, .a = outer, .b = index, .number = extent});
}

auto Terms::conjunction(TermId a, TermId b) -> TermId {
  if (is_number(a)) {
    return is_number(a, 0) ? a : b;
  }
  if (is_number(b) || a == b) {
    return is_number(b, 0) ? b : a;
  }
  return binary(BinaryOperation::And, engine::kBool, a, b);
}

auto Terms::disjunction(TermId a, TermId b) -> TermId {
  if (is_number(a)) {
    return is_number(a, 0) ? b : a;
  }
  if (is_number(b) || a == b) {
    return is_number(b, 0) || a == b ? a : b;
  }
  return binary(BinaryOperation::Or, engine::kBool, a, b);
}

}  // namespace tacet::conformance
