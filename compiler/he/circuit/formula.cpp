#include "compiler/he/circuit/formula.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::circuit {

auto constant_formula(int64_t number) -> LoopFormula {
  return {.constant = number, .terms = {}, .table = {}};
}

auto loop_formula(LoopId loop, int64_t factor) -> LoopFormula {
  return normal({.constant = 0, .terms = {{.loop = loop, .factor = factor}}, .table = {}});
}

auto normal(LoopFormula formula) -> LoopFormula {
  std::sort(formula.terms.begin(), formula.terms.end(),
            [](const LoopTerm& a, const LoopTerm& b) { return a.loop < b.loop; });
  std::vector<LoopTerm> terms;
  for (const LoopTerm& term : formula.terms) {
    if (!terms.empty() && terms.back().loop == term.loop) {
      terms.back().factor += term.factor;
    } else {
      terms.push_back(term);
    }
  }
  std::erase_if(terms, [](const LoopTerm& term) { return term.factor == 0; });
  formula.terms = std::move(terms);
  if (formula.table.empty()) {
    return formula;
  }
  const int64_t first = formula.table.front();
  if (std::all_of(formula.table.begin(), formula.table.end(),
                  [&](int64_t number) { return number == first; })) {
    return constant_formula(first);
  }
  const bool is_inside =
      formula.constant >= 0 && formula.constant < static_cast<int64_t>(formula.table.size());
  if (formula.terms.empty() && is_inside) {
    return constant_formula(formula.table[static_cast<size_t>(formula.constant)]);
  }
  return formula;
}

auto is_affine(const LoopFormula& formula) -> bool {
  return formula.table.empty();
}

auto is_number(const LoopFormula& formula, int64_t number) -> bool {
  return formula.table.empty() && formula.terms.empty() && formula.constant == number;
}

auto mentions(const LoopFormula& formula, LoopId loop) -> bool {
  return std::any_of(formula.terms.begin(), formula.terms.end(),
                     [&](const LoopTerm& term) { return term.loop == loop; });
}

auto sum_of(const LoopFormula& a, const LoopFormula& b) -> LoopFormula {
  LoopFormula sum = a;
  sum.constant += b.constant;
  sum.terms.insert(sum.terms.end(), b.terms.begin(), b.terms.end());
  return normal(std::move(sum));
}

auto times(const LoopFormula& formula, int64_t factor) -> LoopFormula {
  LoopFormula product = formula;
  if (!product.table.empty()) {
    for (int64_t& number : product.table) {
      number *= factor;
    }
    return normal(std::move(product));
  }
  product.constant *= factor;
  for (LoopTerm& term : product.terms) {
    term.factor *= factor;
  }
  return normal(std::move(product));
}

auto substitute(const LoopFormula& formula, LoopId loop, const LoopFormula& by) -> LoopFormula {
  LoopFormula result = formula;
  for (const LoopTerm& term : formula.terms) {
    if (term.loop != loop) {
      continue;
    }
    std::erase(result.terms, term);
    result.constant += term.factor * by.constant;
    for (const LoopTerm& other : by.terms) {
      result.terms.push_back({.loop = other.loop, .factor = term.factor * other.factor});
    }
  }
  return normal(std::move(result));
}

static auto near_zero(int64_t number, int64_t modulus) -> int64_t {
  const int64_t rest = ((number % modulus) + modulus) % modulus;
  return 2 * rest > modulus ? rest - modulus : rest;
}

auto reduced(LoopFormula formula, int64_t modulus) -> LoopFormula {
  if (!formula.table.empty()) {
    for (int64_t& number : formula.table) {
      number = near_zero(number, modulus);
    }
    return normal(std::move(formula));
  }
  formula.constant = near_zero(formula.constant, modulus);
  for (LoopTerm& term : formula.terms) {
    term.factor = near_zero(term.factor, modulus);
  }
  return normal(std::move(formula));
}

static auto sum_at(const LoopFormula& formula, const LoopValues& values) -> int64_t {
  int64_t sum = formula.constant;
  for (const LoopTerm& term : formula.terms) {
    sum += term.factor * values[term.loop.index];
  }
  return sum;
}

auto evaluate(const LoopFormula& formula, const LoopValues& values) -> int64_t {
  const int64_t sum = sum_at(formula, values);
  if (formula.table.empty()) {
    return sum;
  }
  TACET_CHECK(sum >= 0 && sum < static_cast<int64_t>(formula.table.size()),
              "an index outside of a table");
  return formula.table[static_cast<size_t>(sum)];
}

auto sum_range_of(const LoopFormula& formula, const Circuit& circuit) -> FormulaRange {
  FormulaRange range{.low = formula.constant, .high = formula.constant};
  for (const LoopTerm& term : formula.terms) {
    const int64_t last = term.factor * (circuit.loops[term.loop].extent - 1);
    (last < 0 ? range.low : range.high) += last;
  }
  return range;
}

auto range_of(const LoopFormula& formula, const Circuit& circuit) -> FormulaRange {
  if (formula.table.empty()) {
    return sum_range_of(formula, circuit);
  }
  const auto [low, high] = std::minmax_element(formula.table.begin(), formula.table.end());
  return {.low = *low, .high = *high};
}

auto formula_text(const LoopFormula& formula, const std::function<std::string(LoopId)>& name)
    -> std::string {
  std::string text;
  for (const LoopTerm& term : formula.terms) {
    const char* sign = text.empty()      ? (term.factor < 0 ? "-" : "")
                       : term.factor < 0 ? " - "
                                         : " + ";
    const int64_t magnitude = term.factor < 0 ? -term.factor : term.factor;
    text += sign + (magnitude == 1 ? "" : fmt::format("{}*", magnitude)) + name(term.loop);
  }
  if (text.empty()) {
    text = fmt::format("{}", formula.constant);
  } else if (formula.constant != 0) {
    text += fmt::format(" {} {}", formula.constant < 0 ? '-' : '+',
                        formula.constant < 0 ? -formula.constant : formula.constant);
  }
  return formula.table.empty() ? text
                               : fmt::format("{{{}}}[{}]", fmt::join(formula.table, ", "), text);
}

}  // namespace tacet::circuit
