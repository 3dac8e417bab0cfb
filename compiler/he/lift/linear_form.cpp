#include "compiler/he/lift/linear_form.h"

#include <utility>

namespace tacet::lift {

/// The value of a number of the text.
static auto number_of(const Terms& terms, const array::Program& inputs, TermId id)
    -> std::optional<double> {
  const Term& term = terms[id];
  if (term.kind == TermKind::Number) {
    return static_cast<double>(term.number);
  }
  if (term.kind != TermKind::Element || term.array >= inputs.arrays.size()) {
    return std::nullopt;
  }
  const array::Array& array = inputs.arrays[array::ArrayId{term.array}];
  const bool is_number = array.owner == array::Owner::Constant && array.extents.empty();
  return is_number ? std::optional(array::real_of(array.elements.front(), array.fraction_bits))
                   : std::nullopt;
}

static void add(LinearForm& form, const LinearForm& other, double factor) {
  form.constant += factor * other.constant;
  for (const auto& [term, times] : other.factors) {
    const double total = form.factors[term] += factor * times;
    if (total == 0) {
      form.factors.erase(term);
    }
  }
}

auto linear_form(const Terms& terms, const array::Program& inputs, TermId id) -> LinearForm {
  if (const std::optional<double> number = number_of(terms, inputs, id)) {
    return {.factors = {}, .constant = *number};
  }
  const Term& term = terms[id];
  if (term.kind == TermKind::Operation) {
    LinearForm left = linear_form(terms, inputs, term.operands[0]);
    const LinearForm right = linear_form(terms, inputs, term.operands[1]);
    if (term.op != array::Operator::Multiply) {
      add(left, right, term.op == array::Operator::Add ? 1 : -1);
      return left;
    }
    LinearForm product;
    if (left.factors.empty() || right.factors.empty()) {
      const bool is_left = left.factors.empty();
      add(product, is_left ? right : left, is_left ? left.constant : right.constant);
      return product;
    }
  }
  return {.factors = {{id, 1}}};
}

auto ratio_of(const LinearForm& a, const LinearForm& b) -> std::optional<double> {
  if (a.factors.empty() || a.factors.size() != b.factors.size()) {
    return std::nullopt;
  }
  const double ratio = a.factors.begin()->second / b.factors.begin()->second;
  bool is_multiple = a.constant == ratio * b.constant;
  for (const auto& [term, factor] : a.factors) {
    const auto other = b.factors.find(term);
    is_multiple = is_multiple && other != b.factors.end() && factor == ratio * other->second;
  }
  return is_multiple ? std::optional(ratio) : std::nullopt;
}

auto operator-(LinearForm a, const LinearForm& b) -> LinearForm {
  add(a, b, -1);
  return a;
}

}  // namespace tacet::lift
