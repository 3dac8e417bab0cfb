#pragma once

#include <cstdint>
#include <optional>
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

/// Its two ends as they are written.
auto ends_text(const ValueBound& bound) -> std::pair<std::string, std::string>;
/// As it is written: `-0.5..8`.
auto bound_text(const ValueBound& bound) -> std::string;

}  // namespace tacet::types
