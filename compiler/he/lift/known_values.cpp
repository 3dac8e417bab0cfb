#include "compiler/he/lift/known_values.h"

#include "base/check.h"
#include "compiler/device/array/checked.h"

namespace tacet::lift {

using array::FunctionKind;
using array::Operator;

auto KnownValues::value(TermId id) -> int64_t {
  std::vector<int64_t> at;
  for (const DimId dim : terms_.free_dims(id)) {
    at.push_back(at_.at(dim));
  }
  if (const auto last = last_.find(id); last != last_.end() && last->second.at == at) {
    return last->second.value;
  }
  const int64_t value = evaluate(terms_[id]);
  last_[id] = {std::move(at), value};
  return value;
}

auto KnownValues::evaluate(const Term& term) -> int64_t {
  switch (term.kind) {
    case TermKind::Number:
      return term.number;
    case TermKind::Position:
      return value_at(term.index, [this](DimId dim) { return at_.at(dim); });
    case TermKind::Operation: {
      const int64_t left = value(term.operands[0]);
      return array::apply(term.op, left, value(term.operands[1])).number;
    }
    case TermKind::Function: {
      const int64_t first = value(term.operands[0]);
      if (term.function == FunctionKind::Select) {
        return value(term.operands[first != 0 ? 1 : 2]);
      }
      return array::apply(term.function, term.width, first, value(term.operands[1])).number;
    }
    case TermKind::Reduce: {
      const auto outer = at_.find(term.dim);
      const std::optional<int64_t> before =
          outer != at_.end() ? std::optional(outer->second) : std::nullopt;
      int64_t total = term.op == Operator::Add ? 0 : 1;
      for (int64_t i = 0; i < terms_.extent(term.dim); ++i) {
        at_[term.dim] = i;
        total = array::apply(term.op, total, value(term.operands[0])).number;
      }
      if (before) {
        at_[term.dim] = *before;
      }
      return total;
    }
    case TermKind::Drawn:
    case TermKind::Fraction:
      return terms_.drawn_at(term.array, indices_of(term));
    case TermKind::Element:
    case TermKind::Carried:
      break;
  }
  TACET_CHECK(false, "not known");
  return 0;
}

auto KnownValues::indices_of(const Term& term) const -> std::vector<int64_t> {
  std::vector<int64_t> indices;
  for (const Index& index : term.indices) {
    indices.push_back(value_at(index, [this](DimId dim) { return at_.at(dim); }));
  }
  return indices;
}

}  // namespace tacet::lift
