#include "engine/program/common/element_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/check.h"

namespace tacet::engine {

__extension__ using UnsignedWide = unsigned __int128;

template <class Float>
static auto float_text(Float value) -> std::string {
  if (std::isnan(value)) {
    return "nan";
  }
  std::string text = fmt::format("{}", value);
  bool says_float = text.find_first_of(".en") != std::string::npos;
  return says_float ? text : text + ".0";
}

/// `digits` decimal places of `magnitude / 2^fraction_bits`, rounded to nearest.
static auto scaled_decimal(uint64_t magnitude, unsigned fraction_bits, unsigned n_digits)
    -> UnsignedWide {
  UnsignedWide scaled = magnitude;
  for (unsigned i = 0; i < n_digits; ++i) {
    scaled *= 10;
  }
  UnsignedWide half = fraction_bits == 0 ? 0 : UnsignedWide{1} << (fraction_bits - 1);
  return (scaled + half) >> fraction_bits;
}

/// `digits` with a point before the last `n_places`.
static auto decimal_text(bool is_negative, UnsignedWide digits, unsigned n_places) -> std::string {
  std::string reversed;
  for (unsigned place = 0; digits != 0 || place <= n_places; ++place) {
    if (place == n_places) {
      reversed.push_back('.');
    }
    reversed.push_back(static_cast<char>('0' + static_cast<int>(digits % 10)));
    digits /= 10;
  }
  if (is_negative) {
    reversed.push_back('-');
  }
  return {reversed.rbegin(), reversed.rend()};
}

static auto fixed_text(int64_t value, unsigned fraction_bits) -> std::string {
  bool is_negative = value < 0;
  uint64_t magnitude =
      is_negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  // 62 fraction bits are distinguished by 19 decimal places, for which 128 bits are enough.
  for (unsigned n_places = 1;; ++n_places) {
    std::string text =
        decimal_text(is_negative, scaled_decimal(magnitude, fraction_bits, n_places), n_places);
    Cell read_back = 0;
    bool fits = parse_fixed(text, fraction_bits, read_back);
    if ((fits && read_back == static_cast<Cell>(value)) || n_places == 19) {
      return text;
    }
  }
}

auto element_text(ElementType type, Cell cell) -> std::string {
  switch (class_of(type.kind)) {
    case ElementClass::Bool:
      return cell != 0 ? "true" : "false";
    case ElementClass::Fxp:
      return fixed_text(static_cast<int64_t>(cell), type.fraction_bits);
    case ElementClass::F32:
      return float_text(f32_of_cell(cell));
    case ElementClass::F64:
      return float_text(f64_of_cell(cell));
    case ElementClass::Integer:
      return is_signed_integer(type.kind) ? fmt::format("{}", static_cast<int64_t>(cell))
                                          : fmt::format("{}", cell);
  }
  TACET_CHECK(false, "unknown kind of elements");
}

/// The digits of `text` up to `.` or the end, appended to `number`. False on anything else.
static auto read_digits(std::string_view text, size_t& at, size_t max_digits, UnsignedWide& number)
    -> size_t {
  size_t n_read = 0;
  for (; at < text.size() && '0' <= text[at] && text[at] <= '9'; ++at) {
    if (n_read < max_digits) {
      number = number * 10 + static_cast<unsigned>(text[at] - '0');
      ++n_read;
    }
  }
  return n_read;
}

/// fraction * 2^fraction_bits / 10^n_places, rounded to nearest, of a fraction below 10^n_places.
static auto rounded_fraction(UnsignedWide fraction, size_t n_places, unsigned fraction_bits)
    -> UnsignedWide {
  // 10^9 < 2^30, so the product has 63 bits at most.
  constexpr size_t kFewPlaces = 9;
  constexpr unsigned kFewBits = 33;
  UnsignedWide unit = 1;
  for (size_t i = 0; i < n_places; ++i) {
    unit *= 10;
  }
  if (n_places <= kFewPlaces && fraction_bits <= kFewBits) {
    const uint64_t scaled = static_cast<uint64_t>(fraction) << fraction_bits;
    const auto divisor = static_cast<uint64_t>(unit);
    return scaled / divisor + (2 * (scaled % divisor) >= divisor ? 1 : 0);
  }
  // One bit at a time so that nothing overflows.
  UnsignedWide bits = 0;
  for (unsigned i = 0; i < fraction_bits; ++i) {
    fraction *= 2;
    bits = bits * 2 + (fraction >= unit ? 1 : 0);
    fraction -= fraction >= unit ? unit : 0;
  }
  return bits + (2 * fraction >= unit ? 1 : 0);
}

auto parse_fixed(std::string_view decimal, unsigned fraction_bits, Cell& cell) -> bool {
  size_t at = 0;
  bool is_negative = decimal.starts_with("-");
  at += is_negative ? 1 : 0;
  // 20 digits before the point overflow any type; 19 behind it decide every rounding that
  // decimals of that length can ask for.
  constexpr size_t kMaxDigits = 19;
  size_t integer_begin = at;
  UnsignedWide integer = 0;
  if (read_digits(decimal, at, kMaxDigits + 1, integer) == 0 ||
      at - integer_begin > kMaxDigits + 1) {
    return false;
  }
  UnsignedWide fraction = 0;
  size_t n_places = 0;
  if (at < decimal.size() && decimal[at] == '.') {
    ++at;
    n_places = read_digits(decimal, at, kMaxDigits, fraction);
    if (n_places == 0) {
      return false;
    }
  }
  if (at != decimal.size() || integer >> 63 != 0) {
    return false;
  }
  UnsignedWide magnitude =
      (integer << fraction_bits) + rounded_fraction(fraction, n_places, fraction_bits);
  UnsignedWide limit = (UnsignedWide{1} << 63) - (is_negative ? 0 : 1);
  if (magnitude > limit) {
    return false;
  }
  auto low = static_cast<uint64_t>(magnitude);
  cell = is_negative ? 0 - low : low;
  return true;
}

auto literal_cell(ElementType type, std::string_view text) -> Cell {
  Cell cell = 0;
  switch (class_of(type.kind)) {
    case ElementClass::Bool:
      return text == "true" ? 1 : 0;
    case ElementClass::Fxp:
      parse_fixed(text, type.fraction_bits, cell);
      return cell;
    case ElementClass::F32:
      return cell_of_f32(std::strtof(std::string(text).c_str(), nullptr));
    case ElementClass::F64:
      return cell_of_f64(std::strtod(std::string(text).c_str(), nullptr));
    case ElementClass::Integer:
      std::from_chars(text.data(), text.data() + text.size(), cell);
      return wrapped(type.kind, cell);
  }
  TACET_CHECK(false, "unknown kind of elements");
}

}  // namespace tacet::engine
