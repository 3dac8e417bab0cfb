#include "compiler/run/oracle/inputs.h"

namespace tacet::oracle {

using interpret::Cell;
using interpret::ElementKind;
using interpret::EntryParameter;
using interpret::Value;

auto Inputs::draw(const std::vector<EntryParameter>& parameters) -> std::vector<Value> {
  const auto spread = static_cast<Spread>(random_() % (landmarks_.empty() ? 3 : 4));
  std::vector<Value> result;
  for (const EntryParameter& parameter : parameters) {
    Value value{parameter.type, parameter.shape, {}};
    for (uint64_t i = 0; i < interpret::n_elements(parameter.shape); ++i) {
      value.cells.push_back(element(parameter, spread));
    }
    if (parameter.bound) {
      types::keep_norm(*parameter.bound, types::norm_width(value.shape), value.cells);
    }
    result.push_back(std::move(value));
  }
  return result;
}

auto Inputs::element(const EntryParameter& parameter, Spread spread) -> Cell {
  if (parameter.bound) {
    const std::optional<uint64_t> width = types::n_numbers(*parameter.bound);
    const auto lower = static_cast<uint64_t>(parameter.bound->lower);
    const uint64_t drawn = random_();
    uint64_t offset = !width                    ? drawn
                      : spread == Spread::Edges ? (drawn % 2) * (*width - 1)
                                                : drawn % *width;
    if (spread == Spread::Landmarks) {
      const uint64_t near = static_cast<uint64_t>(integer(spread)) - lower;
      offset = !width || near < *width ? near : offset;
    }
    return interpret::is_float(parameter.type.kind)
               ? cast(interpret::kI64, parameter.type, lower + offset)
               : lower + offset;
  }
  const int64_t number = integer(spread);
  if (interpret::is_integer(parameter.type.kind)) {
    return interpret::wrapped(parameter.type.kind, static_cast<Cell>(number));
  }
  if (parameter.type.kind == ElementKind::Bool) {
    return random_() % 2;
  }
  return cast(interpret::kI64, parameter.type, static_cast<Cell>(number % 1000));
}

auto Inputs::integer(Spread spread) -> int64_t {
  switch (spread) {
    case Spread::Small:
      return static_cast<int64_t>(random_() % 12) - 4;
    case Spread::Edges: {
      // The ends of every width, and beside them.
      const unsigned width = 8U << (random_() % 4);
      const uint64_t end = uint64_t{1} << (width - 1 + random_() % 2 % (65 - width));
      return static_cast<int64_t>(end + random_() % 3 - 1);
    }
    case Spread::All:
      return static_cast<int64_t>(random_() >> (random_() % 60));
    case Spread::Landmarks:
      return static_cast<int64_t>(static_cast<uint64_t>(landmarks_[random_() % landmarks_.size()]) +
                                  random_() % 3 - 1);
  }
  return 0;
}

}  // namespace tacet::oracle
