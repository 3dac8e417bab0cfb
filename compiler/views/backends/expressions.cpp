#include "compiler/views/backends/expressions.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::backends {

using engine::HeAffine;
using engine::HeIndex;
using engine::HeTerm;

/// `value` times `factor`, added to `sum`.
static void add_multiple(HeAffine& sum, const HeAffine& value, int64_t factor) {
  sum.constant += factor * value.constant;
  for (const HeTerm& term : value.terms) {
    bool is_known = false;
    for (HeTerm& known : sum.terms) {
      if (known.variable == term.variable) {
        known.factor += factor * term.factor;
        is_known = true;
      }
    }
    if (!is_known) {
      sum.terms.push_back({term.variable, factor * term.factor});
    }
  }
}

auto range_of(const HeAffine& value, const Scope& scope) -> ExpressionRange {
  ExpressionRange range{value.constant, value.constant};
  for (const HeTerm& term : value.terms) {
    const Variable& variable = scope.at(term.variable);
    const int64_t first = term.factor * variable.low;
    const int64_t last = term.factor * (variable.high - 1);
    range.low += std::min(first, last);
    range.high += std::max(first, last);
  }
  return range;
}

auto range_of(const HeIndex& index, const Scope& scope) -> ExpressionRange {
  const ExpressionRange range = range_of(index.value, scope);
  const bool is_remainder = index.modulus != 0 && (range.low < 0 || range.high >= index.modulus);
  return is_remainder ? ExpressionRange{0, index.modulus - 1} : range;
}

auto affine_text(const HeAffine& value, const Scope& scope) -> std::string {
  std::string text;
  const auto append = [&](int64_t factor, const std::string& what) {
    const int64_t size = factor < 0 ? -factor : factor;
    const std::string term = what.empty() ? fmt::to_string(size)
                             : size == 1  ? what
                                          : fmt::format("{} * {}", size, what);
    text += text.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
    text += term;
  };
  for (const HeTerm& term : value.terms) {
    if (term.factor != 0) {
      append(term.factor, scope.at(term.variable).name);
    }
  }
  if (value.constant != 0 || text.empty()) {
    append(value.constant, "");
  }
  return text;
}

auto index_text(const HeIndex& index, const Scope& scope) -> std::string {
  const ExpressionRange range = range_of(index.value, scope);
  const std::string value = affine_text(index.value, scope);
  if (index.modulus == 0 || (range.low >= 0 && range.high < index.modulus)) {
    return value;
  }
  return range.low >= 0 ? fmt::format("({}) % {}", value, index.modulus)
                        : fmt::format("(({0}) % {1} + {1}) % {1}", value, index.modulus);
}

auto variable_of(const engine::HeDigit& digit, const Scope& scope) -> Variable {
  // Quotients of numbers that are not negative are rounded alike everywhere, remainders too.
  const int64_t low = range_of(digit.value, scope).low;
  const int64_t period = digit.divisor * std::max<int64_t>(digit.modulus, 1);
  const int64_t n_periods = low < 0 ? (period - 1 - low) / period : 0;
  HeAffine value = digit.value;
  value.constant += n_periods * period;
  const ExpressionRange range = range_of(value, scope);
  std::string text = affine_text(value, scope);
  if (digit.divisor != 1) {
    text = fmt::format("(({0}) - ({0}) % {1}) / {1}", text, digit.divisor);
  }
  Variable result{"", range.low / digit.divisor, range.high / digit.divisor + 1};
  if (digit.modulus == 0) {
    result.low -= n_periods;
    result.high -= n_periods;
    text = n_periods == 0 ? text : fmt::format("{} - {}", text, n_periods);
  } else if (result.high > digit.modulus) {
    text = fmt::format("({}) % {}", text, digit.modulus);
    result.low = 0;
    result.high = digit.modulus;
  }
  result.name = fmt::format("({})", text);
  return result;
}

auto place_text(const std::vector<HeIndex>& indices, const std::vector<int64_t>& extents,
                const Scope& scope) -> std::string {
  HeAffine sum;
  std::string remainders;
  int64_t stride = 1;
  for (size_t d = indices.size(); d-- > 0;) {
    const ExpressionRange range = range_of(indices[d].value, scope);
    if (indices[d].modulus == 0 || (range.low >= 0 && range.high < indices[d].modulus)) {
      add_multiple(sum, indices[d].value, stride);
    } else {
      const std::string factor = stride == 1 ? "" : fmt::format("{} * ", stride);
      remainders = fmt::format("{}({}){}{}", factor, index_text(indices[d], scope),
                               remainders.empty() ? "" : " + ", remainders);
    }
    stride *= extents[d];
  }
  std::sort(sum.terms.begin(), sum.terms.end(),
            [](const HeTerm& a, const HeTerm& b) { return a.variable < b.variable; });
  const std::string affine = affine_text(sum, scope);
  if (remainders.empty()) {
    return affine;
  }
  return affine == "0" ? remainders : fmt::format("{} + {}", remainders, affine);
}

auto place_text(const std::vector<HeAffine>& indices, const std::vector<int64_t>& extents,
                const Scope& scope) -> std::string {
  std::vector<HeIndex> plain;
  for (const HeAffine& index : indices) {
    plain.push_back({.value = index});
  }
  return place_text(plain, extents, scope);
}

auto condition_text(const HeIndex& index, int64_t low, int64_t high, const Scope& scope)
    -> std::string {
  const ExpressionRange range = range_of(index, scope);
  const std::string value = index_text(index, scope);
  std::string text;
  if (range.low < low) {
    text = fmt::format("{} >= {}", value, low);
  }
  if (range.high >= high) {
    text += fmt::format("{}{} < {}", text.empty() ? "" : " && ", value, high);
  }
  return text;
}

auto extents_of(const std::vector<engine::HeDimension>& dimensions) -> std::vector<int64_t> {
  std::vector<int64_t> extents;
  for (const engine::HeDimension& dimension : dimensions) {
    extents.push_back(dimension.extent);
  }
  return extents;
}

}  // namespace tacet::backends
