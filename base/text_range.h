#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

namespace tacet {

/// A half-open range of byte offsets, `[begin, end)`.
struct TextRange {
  uint32_t begin = 0;
  uint32_t end = 0;

  [[nodiscard]] constexpr auto length() const -> uint32_t { return end - begin; }
  [[nodiscard]] constexpr auto is_empty() const -> bool { return begin == end; }

  /// True for offsets inside and for the two ends: a cursor right behind a name is on it.
  [[nodiscard]] constexpr auto touches(uint32_t offset) const -> bool {
    return begin <= offset && offset <= end;
  }
  [[nodiscard]] constexpr auto contains(uint32_t offset) const -> bool {
    return begin <= offset && offset < end;
  }
  [[nodiscard]] constexpr auto contains(TextRange other) const -> bool {
    return begin <= other.begin && other.end <= end;
  }
  [[nodiscard]] constexpr auto shifted(uint32_t by) const -> TextRange {
    return {begin + by, end + by};
  }

  friend constexpr auto operator==(TextRange, TextRange) -> bool = default;
  friend constexpr auto operator<=>(TextRange, TextRange) = default;
};

/// The smallest range that holds both.
constexpr auto cover(TextRange a, TextRange b) -> TextRange {
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// Replaces the bytes of `range` by `text`.
struct TextChange {
  TextRange range;
  uint32_t new_length = 0;

  friend constexpr auto operator==(TextChange, TextChange) -> bool = default;
};

}  // namespace tacet
