#include "compiler/he/lower/result_interval.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/array/print.h"

namespace tacet::he_lower {

using array::Interval;

static auto ranges_of(const array::Program& program) -> array::ValueRanges {
  std::vector<Interval> inputs;
  for (const array::Array& array : program.arrays.values()) {
    if (is_input(array.owner)) {
      inputs.push_back(*array.range);
    }
  }
  return array::find_ranges(program, inputs);
}

auto result_of(const std::vector<array::Program>& programs) -> Result<Interval> {
  Interval result{INT64_MIN, INT64_MAX};
  for (const array::Program& program : programs) {
    const Interval range = ranges_of(program).output();
    result.low = std::max(result.low, range.low);
    result.high = std::min(result.high, range.high);
  }
  if (result.low != INT64_MIN && result.high != INT64_MAX) {
    return result;
  }
  const array::Program& program = programs.front();
  const std::optional<array::Growth> growth = array::find_growth(program, ranges_of(program));
  return Error{fmt::format(
      "its result may need more than 64 bits{}; give the inputs narrower ranges (`in LO..HI`, "
      "`--range NAME=LO..HI`)",
      growth ? fmt::format(": `{}` computes it from numbers in {}..={}",
                           array::excerpt(program, program.statements[growth->at.statement],
                                          growth->at.expr),
                           growth->operands.low, growth->operands.high)
             : std::string())};
}

}  // namespace tacet::he_lower
