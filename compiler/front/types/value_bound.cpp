#include "compiler/front/types/value_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tacet::types {

using engine::Cell;
using engine::ElementKind;
using engine::ElementType;

auto bound_of_type(ElementType type) -> std::optional<ValueBound> {
  if (type.kind == ElementKind::Bool) {
    return ValueBound{.lower = 0, .upper = 2};
  }
  if (type.kind == ElementKind::Fxp) {
    return ValueBound{
        .lower = -(Wide{1} << 63), .upper = Wide{1} << 63, .fraction_bits = type.fraction_bits};
  }
  if (!engine::is_integer(type.kind)) {
    return std::nullopt;
  }
  return ValueBound{.lower = engine::min_integer(type.kind),
                    .upper = Wide{engine::max_integer(type.kind)} + 1};
}

auto holds(ElementType type, const ValueBound& bound) -> bool {
  const std::optional<ValueBound> all = bound_of_type(type);
  return !all || is_within(*all, bound);
}

auto is_within(const ValueBound& bound, ElementType type, Cell cell) -> bool {
  if (engine::is_float(type.kind)) {
    const double value = type.kind == ElementKind::F32
                             ? static_cast<double>(engine::f32_of_cell(cell))
                             : engine::f64_of_cell(cell);
    return static_cast<double>(bound.lower) <= value && value < static_cast<double>(bound.upper);
  }
  const bool is_signed = engine::is_signed_integer(type.kind) || type.kind == ElementKind::Fxp;
  const Wide value = is_signed ? Wide{static_cast<int64_t>(cell)} : Wide{cell};
  return bound.lower <= value && value < bound.upper;
}

auto is_within(const ValueBound& outer, const ValueBound& inner) -> bool {
  return outer.lower <= inner.lower && inner.upper <= outer.upper;
}

auto least_and_greatest(const ValueBound& bound) -> std::optional<std::pair<int64_t, int64_t>> {
  const Wide greatest = bound.upper - 1;
  if (bound.lower < INT64_MIN || bound.lower > INT64_MAX || greatest < INT64_MIN ||
      greatest >= INT64_MAX) {
    return std::nullopt;
  }
  return std::pair(static_cast<int64_t>(bound.lower), static_cast<int64_t>(greatest));
}

auto n_numbers(const ValueBound& bound) -> std::optional<uint64_t> {
  const Wide n = bound.upper - bound.lower;
  return n > Wide{UINT64_MAX} ? std::nullopt : std::optional(static_cast<uint64_t>(n));
}

auto units_of(std::string_view decimal, ElementType type) -> std::optional<Wide> {
  const bool is_negative = decimal.starts_with('-');
  const std::string_view magnitude = decimal.substr(is_negative ? 1 : 0);
  uint64_t whole = 0;
  const char* end = magnitude.data() + magnitude.size();
  const auto [stop, error] = std::from_chars(magnitude.data(), end, whole);
  if (error == std::errc() && stop == end) {
    const Wide units = Wide{whole} << type.fraction_bits;
    return is_negative ? -units : units;
  }
  Cell cell = 0;
  if (type.kind != ElementKind::Fxp || !engine::parse_fixed(decimal, type.fraction_bits, cell)) {
    return std::nullopt;
  }
  return Wide{static_cast<int64_t>(cell)};
}

static auto magnitude_of(Cell cell) -> uint64_t {
  const auto value = static_cast<int64_t>(cell);
  return value < 0 ? ~cell + 1 : cell;
}

auto exceeds_norm(const ValueBound& bound, size_t width, std::span<const Cell> cells)
    -> std::optional<size_t> {
  if (!bound.norm || width == 0) {
    return std::nullopt;
  }
  __extension__ using Square = unsigned __int128;
  const Square most = Square{*bound.norm} * *bound.norm;
  for (size_t item = 0; (item + 1) * width <= cells.size(); ++item) {
    Square left = most;
    for (const Cell cell : cells.subspan(item * width, width)) {
      const uint64_t magnitude = magnitude_of(cell);
      const Square square = Square{magnitude} * magnitude;
      if (square > left) {
        return item;
      }
      left -= square;
    }
  }
  return std::nullopt;
}

void keep_norm(const ValueBound& bound, size_t width, std::span<Cell> cells) {
  while (const std::optional<size_t> item = exceeds_norm(bound, width, cells)) {
    const std::span<Cell> those = cells.subspan(*item * width, width);
    double squares = 0;
    for (const Cell cell : those) {
      const auto magnitude = static_cast<double>(magnitude_of(cell));
      squares += magnitude * magnitude;
    }
    // A little less each time: what the ends keep from 0 takes part of the norm.
    const double factor =
        std::min(static_cast<double>(*bound.norm) / std::sqrt(squares), 1.0) * 0.999;
    bool has_changed = false;
    for (Cell& cell : those) {
      const auto value = static_cast<int64_t>(cell);
      const Wide nearer = static_cast<int64_t>(static_cast<double>(value) * factor);
      const auto kept =
          static_cast<Cell>(static_cast<int64_t>(std::clamp(nearer, bound.lower, bound.upper - 1)));
      has_changed = has_changed || kept != cell;
      cell = kept;
    }
    if (!has_changed) {
      return;  // the ends are beyond the norm
    }
  }
}

auto least_norm(const ValueBound& bound, size_t width) -> double {
  const Wide nearest = bound.lower > 0 ? bound.lower : bound.upper <= 0 ? bound.upper - 1 : 0;
  return std::abs(static_cast<double>(nearest)) * std::sqrt(static_cast<double>(width));
}

static auto units_text(Wide units, uint8_t fraction_bits) -> std::string {
  const Wide whole = units >> fraction_bits;
  if (whole << fraction_bits == units) {
    return fmt::format("{}{}", whole < 0 ? "-" : "",
                       static_cast<uint64_t>(whole < 0 ? -whole : whole));
  }
  // With a fraction it is one of the type's numbers.
  return engine::element_text({ElementKind::Fxp, fraction_bits}, static_cast<Cell>(units));
}

auto ends_text(const ValueBound& bound) -> std::pair<std::string, std::string> {
  return {units_text(bound.lower, bound.fraction_bits),
          units_text(bound.upper, bound.fraction_bits)};
}

/// Whether the ends are those that a norm without ends has.
static auto has_own_ends(const ValueBound& bound) -> bool {
  return bound.norm && bound.lower == -Wide{*bound.norm} && bound.upper == Wide{*bound.norm} + 1;
}

auto bound_text(const ValueBound& bound) -> std::string {
  const auto [lower, upper] = ends_text(bound);
  const std::string norm =
      bound.norm ? "norm " + units_text(Wide{*bound.norm}, bound.fraction_bits) : std::string();
  return has_own_ends(bound)
             ? norm
             : fmt::format("{}..{}{}{}", lower, upper, norm.empty() ? "" : " ", norm);
}

auto bound_clause(const ValueBound& bound) -> std::string {
  return (has_own_ends(bound) ? " " : " in ") + bound_text(bound);
}

}  // namespace tacet::types
