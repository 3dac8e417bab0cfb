#pragma once

#include <algorithm>
#include <optional>

#include "compiler/device/oblivious/ranges.h"

/// Arithmetic on ranges that nothing bounds: what a type cannot hold is still a range.
namespace tacet::oblivious {

/// Beyond it sums are not followed, so that they stay far below 2^127.
constexpr int64_t kMostAdditions = int64_t{1} << 40;

inline auto hull(const Range& a, const Range& b) -> Range {
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper)};
}

inline auto hull(const std::optional<Range>& a, const std::optional<Range>& b)
    -> std::optional<Range> {
  return a && b ? std::optional(hull(*a, *b)) : a ? a : b;
}

inline auto plus(const Range& a, const Range& b) -> Range {
  return {a.lower + b.lower, a.upper + b.upper};
}

inline auto scaled(const Range& a, __int128 n) -> Range {
  return {a.lower * n, a.upper * n};
}

/// Of a type without a fraction.
inline auto is_exact(engine::ElementType type) -> bool {
  return !engine::is_fractional(type.kind);
}

}  // namespace tacet::oblivious
