#pragma once

#include <array>
#include <string_view>

#include "compiler/device/array/program.h"

/// Integers of types in array programs, whose sums and products never wrap.
namespace tacet::array {

/// Every width, the one without bits first.
inline constexpr std::array<Width, 9> kAllWidths = {
    Width{0, true},  Width{8, true},   Width{16, true},  Width{32, true}, Width{64, true},
    Width{8, false}, Width{16, false}, Width{32, false}, Width{64, false}};

/// `i8`, `u64`; empty without bits.
auto name_of(Width width) -> std::string_view;

/// The integer of the type that is `number` modulo 2^bits. Of `u64` its bits, as all numbers above
/// the largest with a sign are written here.
auto wrapped(Width width, int64_t number) -> int64_t;

/// What the type holds. The upper end of `u64` stands for everything beyond it, too.
auto range_of(Width width) -> Interval;

/// Whether all numbers of an interval, which stands for everything beyond where an end is the least
/// or the greatest number, are of the type, so that none changes when it is wrapped.
auto fits(Interval range, Width width) -> bool;

/// What numbers of an interval are when they are wrapped.
inline auto wrapped(Width width, Interval range) -> Interval {
  return fits(range, width) ? range : range_of(width);
}

}  // namespace tacet::array
