#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "engine/program/common/element_text.h"
#include "engine/program/common/element_type.h"

namespace tacet::types {

/// Holds every number of 64 bits, and what is one beyond.
__extension__ using Wide = __int128;

/// `in lo..hi`: `lower <= value < upper`, for every element of an array. Both count units of the
/// type: of `fxp` with f fraction bits these are 2^-f, of other types 1.
struct ValueBound {
  Wide lower = 0;
  Wide upper = 0;
  uint8_t fraction_bits = 0;
  /// `norm r`: of an array, in units as well: the square root of the sum of the squares of its
  /// elements is at most this; of an array with several dimensions, of each of its items.
  std::optional<uint64_t> norm = std::nullopt;

  friend auto operator==(const ValueBound&, const ValueBound&) -> bool = default;
};

/// What all values of the type are in; nothing for floats.
auto bound_of_type(engine::ElementType type) -> std::optional<ValueBound>;

/// Whether the type has all numbers in the bound.
auto holds(engine::ElementType type, const ValueBound& bound) -> bool;

/// Whether a value of the type is in the bound.
auto is_within(const ValueBound& bound, engine::ElementType type, engine::Cell cell) -> bool;
/// Whether all of `inner` is in `outer`, of one type.
auto is_within(const ValueBound& outer, const ValueBound& inner) -> bool;

/// The least and the greatest number in the bound. Nothing if they need more than 64 bits, or equal
/// the greatest number of 64 bits, which means no bound.
auto least_and_greatest(const ValueBound& bound) -> std::optional<std::pair<int64_t, int64_t>>;

/// How many numbers are in the bound; nothing if 2^64.
auto n_numbers(const ValueBound& bound) -> std::optional<uint64_t>;

/// A number such as `-3` or `0.5` in units of the type, as a literal is read: to the nearest one.
/// Nothing if the text is something else, or the type has no fractions.
auto units_of(std::string_view decimal, engine::ElementType type) -> std::optional<Wide>;

/// How many elements an item has whose norm is bounded: all of an array of one dimension, else
/// those that share the first index.
template <class Shape>
auto norm_width(const Shape& shape) -> size_t {
  size_t n = 1;
  for (size_t i = shape.size() > 1 ? 1 : 0; i < shape.size(); ++i) {
    n *= static_cast<size_t>(shape[i]);
  }
  return n;
}

/// The first item, of `width` elements each, whose norm exceeds the bound's, if it has one. Exact.
auto exceeds_norm(const ValueBound& bound, size_t width, std::span<const engine::Cell> cells)
    -> std::optional<size_t>;

/// Brings elements that are within the ends nearer to 0 until no item exceeds the norm.
void keep_norm(const ValueBound& bound, size_t width, std::span<engine::Cell> cells);

/// The norm of items of `width` elements that are all as near to 0 as the ends allow.
auto least_norm(const ValueBound& bound, size_t width) -> double;

/// Its two ends as they are written.
auto ends_text(const ValueBound& bound) -> std::pair<std::string, std::string>;
/// As it is written: `-0.5..8`, `-0.5..8 norm 2`, `norm 2`.
auto bound_text(const ValueBound& bound) -> std::string;
/// The same behind a type: ` in -0.5..8`, ` norm 2`.
auto bound_clause(const ValueBound& bound) -> std::string;

}  // namespace tacet::types
