#include "compiler/he/lower/slot_ranges.h"

#include <algorithm>
#include <cmath>

namespace tacet::he_lower {
namespace {

using approximate::Series;
using array::RealInterval;

constexpr unsigned kMostDegree = 256;
/// Ranges are found from all polynomials of at most this degree, else from the one with the least.
constexpr unsigned kSmallDegree = 32;
constexpr size_t kMostForms = 8;

auto shared(RealInterval a, RealInterval b) -> RealInterval {
  const RealInterval both{std::max(a.low, b.low), std::min(a.high, b.high)};
  return both.low <= both.high ? both : a;  // apart by rounding alone
}

auto sum_of(const Series& a, const Series& b, double sign) -> Series {
  Series result = a;
  result.resize(std::max(a.size(), b.size()));
  for (size_t k = 0; k < b.size(); ++k) {
    result[k] += sign * b[k];
  }
  return result;
}

auto products(RealInterval a, RealInterval b) -> RealInterval {
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high};
}

}  // namespace

/// By T_i T_k = (T_(i + k) + T_|i - k|) / 2.
auto SlotRanges::product_of(const Series& a, const Series& b) -> Series {
  Series result(a.size() + b.size() - 1);
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t k = 0; a[i] != 0 && k < b.size(); ++k) {
      const double half = a[i] * b[k] / 2;
      result[i + k] += half;
      result[i < k ? k - i : i - k] += half;
    }
  }
  return result;
}

SlotRanges::SlotRanges(KnownPolynomials* polynomials)
    : own_(polynomials == nullptr ? std::make_unique<KnownPolynomials>() : nullptr),
      polynomials_(own_ ? own_.get() : polynomials) {}

auto SlotRanges::any(RealInterval range) -> Id {
  return add({.range = range});
}

auto SlotRanges::padded(RealInterval inside, double outside, const std::string& slots) -> Id {
  Value value{.range = {std::min(inside.low, outside), std::max(inside.high, outside)}};
  value.padding = Padding{.inside = inside, .outside = {outside, outside}, .slots = slots};
  return add(std::move(value));
}

template <class OfRanges>
auto SlotRanges::padding_of(Id a, Id b, const OfRanges& of_ranges) const -> std::optional<Padding> {
  const std::optional<Padding>& left = values_[a].padding;
  const std::optional<Padding>& right = values_[b].padding;
  if (!left && !right) {
    return std::nullopt;
  }
  const std::string& slots = left ? left->slots : right->slots;
  const auto of = [&](Id id) {
    const Value& value = values_[id];
    return value.padding && value.padding->slots == slots
               ? *value.padding
               : Padding{.inside = value.range, .outside = value.range, .slots = slots};
  };
  const Padding first = of(a);
  const Padding second = of(b);
  return Padding{.inside = of_ranges(first.inside, second.inside),
                 .outside = of_ranges(first.outside, second.outside),
                 .slots = slots};
}

/// To what is inside and outside, and these to all that is known.
void SlotRanges::narrow(Value& value) {
  if (!value.padding) {
    return;
  }
  RealInterval& inside = value.padding->inside;
  RealInterval& outside = value.padding->outside;
  value.range =
      shared(value.range, {std::min(inside.low, outside.low), std::max(inside.high, outside.high)});
  inside = shared(inside, value.range);
  outside = shared(outside, value.range);
}

auto SlotRanges::add(Value value) -> Id {
  narrow(value);
  while (value.forms.size() > kMostForms) {
    value.forms.erase(std::max_element(
        value.forms.begin(), value.forms.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); }));
  }
  values_.push_back(std::move(value));
  return static_cast<Id>(values_.size() - 1);
}

auto SlotRanges::form_of_itself(Id a) const -> Series {
  const RealInterval& range = values_[a].range;
  return {(range.low + range.high) / 2, (range.high - range.low) / 2};
}

auto SlotRanges::forms_with_itself(Id a) const -> Forms {
  Forms forms = values_[a].forms;
  // What is linear in another value says nothing new.
  const bool is_linear = std::any_of(forms.begin(), forms.end(), [](const auto& form) {
    return approximate::degree_of(form.second) == 1;
  });
  if (!is_linear) {
    forms.emplace(a, form_of_itself(a));
  }
  return forms;
}

auto SlotRanges::within(Id a, RealInterval known) -> Id {
  const RealInterval& range = values_[a].range;
  const bool is_new = range.low < known.low || range.high > known.high;
  if (!is_new) {
    return a;
  }
  Value value{.range = shared(range, known)};
  value.padding = values_[a].padding;
  return add(std::move(value));
}

auto SlotRanges::moved(Id a) -> Id {
  return is_number(a) ? a : any(range(a));
}

/// factor * a + added
auto SlotRanges::with_number(Id a, double factor, double added) const -> Value {
  Value value;
  const RealInterval scaled = products(range(a), {factor, factor});
  value.range = {scaled.low + added, scaled.high + added};
  for (const auto& [base, series] : forms_with_itself(a)) {
    value.forms.emplace(base, sum_of({added}, series, factor));
  }
  if (values_[a].difference && added == 0 && factor != 0) {
    value.difference = values_[a].difference;
    value.difference->scale *= factor;
  }
  return value;
}

auto SlotRanges::range_of_forms(const Forms& forms) -> std::optional<RealInterval> {
  std::optional<RealInterval> result;
  unsigned least = kMostDegree;
  for (const auto& [base, series] : forms) {
    least = std::min(least, std::max(approximate::degree_of(series), 1U));
  }
  for (const auto& [base, series] : forms) {
    const unsigned degree = approximate::degree_of(series);
    if (degree <= kSmallDegree || degree == least) {
      const RealInterval found = polynomials_->range(series);
      result = result ? shared(*result, found) : found;
    }
  }
  return result;
}

/// What b + p is between, if p is a polynomial near max(a - b, 0), or a - p.
auto SlotRanges::extreme(Id plain, Id ramp, bool is_greatest) const -> std::optional<RealInterval> {
  for (const auto& [base, series] : values_[ramp].forms) {
    const std::optional<Difference>& difference = values_[base].difference;
    if (!difference || (is_greatest ? difference->b : difference->a) != plain) {
      continue;
    }
    const RealInterval u = range(base);
    if (!(u.low < 0 && u.high > 0)) {
      continue;
    }
    // How far p is from u / scale where that is positive, and elsewhere from 0.
    const double zero = -(u.low + u.high) / (u.high - u.low);
    Series line = form_of_itself(base);
    for (double& coefficient : line) {
      coefficient /= difference->scale;
    }
    const bool is_turned = difference->scale < 0;
    const RealInterval negative{-1, zero};
    const RealInterval positive{zero, 1};
    const RealInterval off = approximate::range_of(series, is_turned ? positive : negative);
    const RealInterval rest =
        approximate::range_of(sum_of(series, line, -1), is_turned ? negative : positive);
    const double error = std::max({-off.low, off.high, -rest.low, rest.high, 0.0});
    const RealInterval a = range(difference->a);
    const RealInterval b = range(difference->b);
    return is_greatest
               ? RealInterval{std::max(a.low, b.low) - error, std::max(a.high, b.high) + error}
               : RealInterval{std::min(a.low, b.low) - error, std::min(a.high, b.high) + error};
  }
  return std::nullopt;
}

auto SlotRanges::combined(Id a, Id b, double sign) -> Id {
  std::optional<Padding> padding =
      padding_of(a, b, [&](const RealInterval& left, const RealInterval& right) {
        const RealInterval signed_right = products(right, {sign, sign});
        return RealInterval{left.low + signed_right.low, left.high + signed_right.high};
      });
  if (is_number(b) || is_number(a)) {
    Value value =
        is_number(b) ? with_number(a, 1, sign * range(b).low) : with_number(b, sign, range(a).low);
    value.padding = std::move(padding);
    narrow(value);
    return add(std::move(value));
  }
  Value value;
  value.padding = std::move(padding);
  const RealInterval second = products(range(b), {sign, sign});
  value.range = {range(a).low + second.low, range(a).high + second.high};
  narrow(value);
  const Forms forms = forms_with_itself(b);
  for (const auto& [base, series] : forms_with_itself(a)) {
    if (const auto other = forms.find(base); other != forms.end()) {
      value.forms.emplace(base, sum_of(series, other->second, sign));
    }
  }
  if (const std::optional<RealInterval> narrow = range_of_forms(value.forms)) {
    value.range = shared(value.range, *narrow);
  }
  const std::optional<RealInterval> narrow = sign < 0              ? extreme(a, b, false)
                                             : extreme(a, b, true) ? extreme(a, b, true)
                                                                   : extreme(b, a, true);
  value.range = narrow ? shared(value.range, *narrow) : value.range;
  if (sign < 0) {
    value.difference = Difference{.a = a, .b = b, .scale = 1};
  }
  return add(std::move(value));
}

auto SlotRanges::sum(Id a, Id b) -> Id {
  return combined(a, b, 1);
}

auto SlotRanges::difference(Id a, Id b) -> Id {
  return combined(a, b, -1);
}

auto SlotRanges::product(Id a, Id b) -> Id {
  if (is_number(a) && !is_number(b)) {
    return product(b, a);
  }
  std::optional<Padding> padding = padding_of(a, b, products);
  if (is_number(b)) {
    Value value = with_number(a, range(b).low, 0);
    value.padding = std::move(padding);
    narrow(value);
    return add(std::move(value));
  }
  Value value;
  value.padding = std::move(padding);
  value.range = products(range(a), range(b));
  narrow(value);
  const Forms forms = forms_with_itself(b);
  for (const auto& [base, series] : forms_with_itself(a)) {
    const auto other = forms.find(base);
    if (other != forms.end() && series.size() + other->second.size() - 2 <= kMostDegree) {
      value.forms.emplace(base, product_of(series, other->second));
    }
  }
  if (const std::optional<RealInterval> narrow = range_of_forms(value.forms)) {
    value.range = shared(value.range, *narrow);
  }
  return add(std::move(value));
}

}  // namespace tacet::he_lower
