#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text_range.h"

namespace tacet {

/// How the columns of a `LineColumn` are counted within their line.
enum class PositionEncoding : uint8_t { Utf8, Utf16, Utf32 };

/// A zero-based line and a zero-based column in code units of some encoding.
struct LineColumn {
  uint32_t line = 0;
  uint32_t column = 0;

  friend constexpr auto operator==(LineColumn, LineColumn) -> bool = default;
  friend constexpr auto operator<=>(LineColumn, LineColumn) = default;
};

/// Where the lines of one text begin. A line ends at `\n`, `\r\n` or a lone `\r`,
/// as in LSP. The text itself is not kept: it is passed to each conversion.
class LineIndex {
 public:
  explicit LineIndex(std::string_view text);

  /// Follows an edit: `text` is what the text has become, `change` says where. Looks at
  /// the new bytes and moves the line starts behind them; the rest is not read again.
  void update(std::string_view text, TextChange change);

  [[nodiscard]] auto n_lines() const -> uint32_t { return static_cast<uint32_t>(starts_.size()); }

  /// The bytes of a line without its line end. Lines past the last are empty, at the end.
  [[nodiscard]] auto line_range(std::string_view text, uint32_t line) const -> TextRange;

  /// Where byte `offset` (clamped to the text) stands. An offset inside a
  /// character counts as that character's start. O(log lines + line length); from a line `near` in
  /// front of the offset, O(log lines between + line length).
  [[nodiscard]] auto position(std::string_view text, uint32_t offset, PositionEncoding encoding,
                              uint32_t near = 0) const -> LineColumn;

  /// The byte offset of a position. A column past the line's end means its end, a
  /// line past the last one the end of the text, as LSP asks; one inside a character its start.
  [[nodiscard]] auto offset(std::string_view text, LineColumn position,
                            PositionEncoding encoding) const -> uint32_t;

  /// True if `position` names a place that exists, so that `offset` clamped nothing.
  [[nodiscard]] auto is_inside(std::string_view text, LineColumn position,
                               PositionEncoding encoding) const -> bool;

 private:
  std::vector<uint32_t> starts_;
  uint32_t text_size_ = 0;
};

/// Code units that a UTF-8 text takes in `encoding`; malformed bytes count one each.
auto code_units(std::string_view text, PositionEncoding encoding) -> uint32_t;

/// The offset of the first byte that is not well-formed UTF-8, or `text.size()`.
auto find_invalid_utf8(std::string_view text) -> size_t;

}  // namespace tacet
