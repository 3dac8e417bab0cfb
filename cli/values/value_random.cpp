#include <array>
#include <cmath>

#include "base/check.h"
#include "cli/values/value_formats.h"

namespace tacet::cli {

using interpret::Cell;
using interpret::ElementKind;

static auto random_float(engine::PublicRandomStream& stream) -> float {
  double number = stream.unit();
  auto rounded = static_cast<float>(number);
  return static_cast<double>(rounded) > number ? std::nextafter(rounded, 0.0F) : rounded;
}

static auto random_within(const types::ValueBound& bound, interpret::ElementType type,
                          engine::PublicRandomStream& stream) -> Cell {
  if (interpret::is_float(type.kind)) {
    const auto lower = static_cast<double>(bound.lower);
    const auto upper = static_cast<double>(bound.upper);
    const double number = lower + stream.unit() * (upper - lower);
    const Cell cell = type.kind == ElementKind::F32
                          ? interpret::cell_of_f32(static_cast<float>(number))
                          : interpret::cell_of_f64(number);
    // Rounding may reach the end, which is outside.
    return types::is_within(bound, type, cell)
               ? cell
               : interpret::cast(interpret::kI64, type, static_cast<Cell>(bound.lower));
  }
  const std::optional<uint64_t> n = types::n_numbers(bound);
  return static_cast<Cell>(bound.lower) + (n ? stream.below(*n) : stream.next());
}

static auto random_element(const interpret::EntryParameter& parameter,
                           engine::PublicRandomStream& stream) -> Cell {
  if (parameter.bound) {
    return random_within(*parameter.bound, parameter.type, stream);
  }
  switch (engine::class_of(parameter.type.kind)) {
    case engine::ElementClass::Bool:
      return stream.next() >> 63;
    case engine::ElementClass::F32:
      return interpret::cell_of_f32(random_float(stream));
    case engine::ElementClass::F64:
      return interpret::cell_of_f64(stream.unit());
    case engine::ElementClass::Fxp:
      return parameter.type.fraction_bits == 0
                 ? 0
                 : stream.next() >> (64 - parameter.type.fraction_bits);
    case engine::ElementClass::Integer:
      return interpret::wrapped(parameter.type.kind, stream.next());
  }
  TACET_CHECK(false, "unknown kind of elements");
}

/// Begins the dynamic string of an input: no iteration and no call of a program has it, so an input
/// is no draw of the program that it is given to.
static constexpr uint64_t kInputWord = ~uint64_t{0};

auto value_of_random(const interpret::EntryParameter& parameter, const engine::PublicRandomKey& key)
    -> interpret::Value {
  engine::BitString place;
  place.append("input " + parameter.name);
  interpret::Value value{parameter.type, parameter.shape, {}};
  uint64_t n = interpret::n_elements(parameter.shape);
  value.cells.reserve(n);
  for (uint64_t i = 0; i < n; ++i) {
    const std::array<uint64_t, 2> words = {kInputWord, i};
    engine::PublicRandomStream stream(key, place, words);
    value.cells.push_back(random_element(parameter, stream));
  }
  if (parameter.bound) {
    types::keep_norm(*parameter.bound, types::norm_width(value.shape), value.cells);
  }
  return value;
}

}  // namespace tacet::cli
