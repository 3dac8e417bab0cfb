#include "cli/run/suggest_range.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/front/types/value_bound.h"

namespace tacet::cli {

using types::Wide;

/// The least of 1, 2, 5, 10, 20, … that is not less than `number`.
static auto round_number(Wide number) -> Wide {
  for (Wide power = 1;; power *= 10) {
    for (const int digit : {1, 2, 5}) {
      if (digit * power >= number) {
        return digit * power;
      }
    }
  }
}

auto suggest_range(const std::vector<int64_t>& numbers, interpret::ElementType type)
    -> std::optional<std::string> {
  if (numbers.empty()) {
    return std::nullopt;
  }
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  const bool is_fixed = type.kind == interpret::ElementKind::Fxp;
  const Wide unit = Wide{1} << (is_fixed ? type.fraction_bits : 0);
  const Wide lower = *low >= 0 ? 0 : -round_number((-Wide{*low} + unit - 1) / unit);
  const Wide upper = *high < 0 ? 0 : round_number(Wide{*high} / unit + 1);
  types::ValueBound bound{lower * unit, upper * unit, is_fixed ? type.fraction_bits : uint8_t{0}};
  if (const std::optional<types::ValueBound> all = types::bound_of_type(type)) {
    bound.lower = std::max(bound.lower, all->lower);
    bound.upper = std::min(bound.upper, all->upper);
  }
  const bool has_all = bound.lower <= Wide{*low} && Wide{*high} < bound.upper;
  // A range as wide as 64 bits bounds nothing.
  return has_all && types::least_and_greatest(bound) ? std::optional(types::bound_text(bound))
                                                     : std::nullopt;
}

}  // namespace tacet::cli
