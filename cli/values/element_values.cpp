#include "cli/values/element_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "cli/report.h"
#include "compiler/core/diagnostics/printable.h"

namespace tacet::cli {

using interpret::Cell;
using interpret::ElementKind;
using interpret::ElementType;

__extension__ using Wide = __int128;

auto number_text(const OutsideNumber& number) -> std::string {
  if (const bool* truth = std::get_if<bool>(&number)) {
    return *truth ? "true" : "false";
  }
  if (const WholeNumber* whole = std::get_if<WholeNumber>(&number)) {
    return fmt::format("{}{}", whole->is_negative ? "-" : "", whole->magnitude);
  }
  if (const double* real = std::get_if<double>(&number)) {
    return fmt::format("{}", *real);
  }
  constexpr size_t kLongest = 60;
  const std::string_view text = std::get<std::string_view>(number);
  if (text.find_first_not_of("+-.0123456789eE") == std::string_view::npos) {
    return std::string(text);
  }
  return fmt::format("`{}{}`", one_line(text.substr(0, kLongest)),
                     text.size() > kLongest ? "…" : "");
}

auto element_name(const std::vector<uint64_t>& shape, uint64_t number) -> std::string {
  if (shape.empty()) {
    return "it";
  }
  std::string indices;
  for (size_t i = shape.size(); i-- > 0;) {
    indices.insert(0, fmt::format("[{}]", shape[i] == 0 ? 0 : number % shape[i]));
    number = shape[i] == 0 ? 0 : number / shape[i];
  }
  return "element " + indices;
}

static auto signed_value(WholeNumber number) -> Wide {
  return number.is_negative ? -Wide{number.magnitude} : Wide{number.magnitude};
}

/// Digits only, with a sign and a point maybe: what fixed point can be read from exactly.
static auto is_plain_decimal(std::string_view text) -> bool {
  return text.find_first_not_of("-0123456789.") == std::string_view::npos;
}

static auto fixed_of_double(double value, ElementType type, Cell& cell) -> bool {
  double scaled = std::nearbyint(std::ldexp(value, type.fraction_bits));
  if (!(scaled >= -0x1p63 && scaled < 0x1p63)) {
    return false;
  }
  cell = static_cast<Cell>(static_cast<int64_t>(scaled));
  return true;
}

/// What keeps a number from being an element of a type: nothing, if it could be converted.
enum class Misfit : uint8_t { None, OtherKind, OutOfRange };

static auto convert_whole(WholeNumber number, ElementType type, Cell& cell) -> Misfit {
  Wide value = signed_value(number);
  const bool is_minus_zero = number.is_negative && number.magnitude == 0;
  switch (engine::class_of(type.kind)) {
    case engine::ElementClass::Integer:
      cell = static_cast<Cell>(value);
      return value < interpret::min_integer(type.kind) ||
                     value > Wide{interpret::max_integer(type.kind)}
                 ? Misfit::OutOfRange
                 : Misfit::None;
    case engine::ElementClass::Bool:
      cell = static_cast<Cell>(value);
      return value == 0 || value == 1 ? Misfit::None : Misfit::OtherKind;
    case engine::ElementClass::Fxp: {
      Wide scaled = value * (Wide{1} << type.fraction_bits);
      cell = static_cast<Cell>(scaled);
      return scaled < -(Wide{1} << 63) || scaled >= Wide{1} << 63 ? Misfit::OutOfRange
                                                                  : Misfit::None;
    }
    case engine::ElementClass::F32:
      cell = interpret::cell_of_f32(is_minus_zero ? -0.0F : static_cast<float>(value));
      return Misfit::None;
    case engine::ElementClass::F64:
      cell = interpret::cell_of_f64(is_minus_zero ? -0.0 : static_cast<double>(value));
      return Misfit::None;
  }
  TACET_CHECK(false, "unknown kind of elements");
}

static auto convert_real(double value, ElementType type, Cell& cell) -> Misfit {
  switch (engine::class_of(type.kind)) {
    case engine::ElementClass::Fxp:
      return fixed_of_double(value, type, cell) ? Misfit::None : Misfit::OutOfRange;
    case engine::ElementClass::F32: {
      const auto nearest = static_cast<float>(value);
      cell = interpret::cell_of_f32(nearest);
      return std::isfinite(value) && !std::isfinite(nearest) ? Misfit::OutOfRange : Misfit::None;
    }
    case engine::ElementClass::F64:
      cell = interpret::cell_of_f64(value);
      return Misfit::None;
    case engine::ElementClass::Bool:
    case engine::ElementClass::Integer:
      break;
  }
  return Misfit::OtherKind;
}

/// A float from all of `text`.
template <class Float>
static auto read_float(std::string_view text, Float& value) -> Misfit {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return stop != end || error == std::errc::invalid_argument ? Misfit::OtherKind
         : error != std::errc()                              ? Misfit::OutOfRange
                                                             : Misfit::None;
}

static auto convert_text(std::string_view text, ElementType type, Cell& cell) -> Misfit {
  const bool is_fixed_decimal = type.kind == ElementKind::Fxp && is_plain_decimal(text);
  if (is_fixed_decimal && interpret::parse_fixed(text, type.fraction_bits, cell)) {
    return Misfit::None;
  }
  if (type.kind == ElementKind::F32) {
    // Not through a double, which would round twice.
    float value = 0;
    const Misfit misfit = read_float(text, value);
    cell = interpret::cell_of_f32(value);
    return misfit;
  }
  double value = 0;
  if (const Misfit misfit = read_float(text, value); misfit != Misfit::None) {
    return interpret::is_fractional(type.kind) ? misfit : Misfit::OtherKind;
  }
  // A whole number that is too long for 64 bits is out of range, not of another kind.
  const bool is_whole = text.find_first_not_of("-0123456789") == std::string_view::npos;
  if (is_whole && interpret::is_integer(type.kind)) {
    return Misfit::OutOfRange;
  }
  const Misfit misfit = convert_real(value, type, cell);
  // A decimal just below the least number rounds to it as a double.
  const bool is_least = misfit == Misfit::None && cell == Cell{1} << 63;
  return is_fixed_decimal && is_least ? Misfit::OutOfRange : misfit;
}

static auto convert(const OutsideNumber& number, ElementType type, Cell& cell) -> Misfit {
  if (const bool* truth = std::get_if<bool>(&number)) {
    cell = *truth ? 1 : 0;
    return type.kind == ElementKind::Bool ? Misfit::None : Misfit::OtherKind;
  }
  if (const WholeNumber* whole = std::get_if<WholeNumber>(&number)) {
    return convert_whole(*whole, type, cell);
  }
  if (const double* real = std::get_if<double>(&number)) {
    return convert_real(*real, type, cell);
  }
  return convert_text(std::get<std::string_view>(number), type, cell);
}

static auto range_text(ElementType type) -> std::string {
  if (interpret::is_integer(type.kind)) {
    return fmt::format("; its range is {} to {}", interpret::min_integer(type.kind),
                       interpret::max_integer(type.kind));
  }
  return {};
}

auto norm_fault(const interpret::EntryParameter& parameter, std::span<const Cell> cells)
    -> std::string {
  if (!parameter.bound) {
    return {};
  }
  const size_t width = types::norm_width(parameter.shape);
  const std::optional<size_t> item = types::exceeds_norm(*parameter.bound, width, cells);
  if (!item) {
    return {};
  }
  const bool is_whole = parameter.shape.size() == 1;
  return fmt::format("the norm of {} exceeds the bound {}",
                     is_whole ? std::string("the elements") : fmt::format("item {}", *item),
                     types::bound_text(*parameter.bound));
}

auto ElementReader::is_in_bound(Cell cell) const -> bool {
  return !parameter_.bound || types::is_within(*parameter_.bound, parameter_.type, cell);
}

auto ElementReader::add(const OutsideNumber& number) -> bool {
  Cell cell = 0;
  const Misfit misfit = convert(number, parameter_.type, cell);
  if (misfit == Misfit::None && is_in_bound(cell)) [[likely]] {
    value_.cells.push_back(cell);
    return true;
  }
  const std::string found =
      fmt::format("{} is {}", element_name(parameter_.shape, n_elements()), number_text(number));
  const std::string type = interpret::element_type_name(parameter_.type);
  switch (misfit) {
    case Misfit::OtherKind:
      fail(fmt::format("{}, expected `{}`", found, type));
      break;
    case Misfit::OutOfRange:
      fail(fmt::format("{}, out of range for `{}`{}", found, type, range_text(parameter_.type)));
      break;
    case Misfit::None:
      fail(fmt::format("{}, outside the bound {}", found, types::bound_text(*parameter_.bound)));
      break;
  }
  return false;
}

void ElementReader::add_place(std::string_view place) {
  problem_.insert(0, fmt::format("{}: ", place));
}

void ElementReader::reserve(uint64_t most) {
  value_.cells.reserve(std::min(interpret::n_elements(parameter_.shape), most));
}

auto ElementReader::finish() -> Result<interpret::Value> {
  uint64_t n_wanted = interpret::n_elements(parameter_.shape);
  if (problem_.empty() && n_elements() != n_wanted) {
    problem_ = fmt::format("found {}; `{}` has {}", counted(n_elements(), "element"),
                           interpret::type_text(parameter_.type, parameter_.shape), n_wanted);
  }
  if (!problem_.empty()) {
    return Error{fmt::format("parameter `{}`: {}", parameter_.name, problem_)};
  }
  if (const std::string fault = norm_fault(parameter_, value_.cells); !fault.empty()) {
    return Error{fmt::format("parameter `{}`: {}", parameter_.name, fault)};
  }
  return std::move(value_);
}

}  // namespace tacet::cli
