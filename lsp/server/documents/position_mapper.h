#pragma once

#include <cstdint>
#include <string_view>

#include "base/line_index.h"
#include "base/text_range.h"
#include "lsp/protocol/types.h"

namespace tacet::lsp {

/// Turns byte offsets of one text into protocol positions and back. Remembers the last
/// place, so offsets that come in order cost one walk over each line however long it is.
class PositionMapper {
 public:
  /// Text and index must outlive the mapper.
  PositionMapper(std::string_view text, const LineIndex& lines, PositionEncoding encoding)
      : text_(text), lines_(lines), encoding_(encoding) {}

  auto position(uint32_t offset) -> Position;
  auto range(TextRange range) -> Range;
  [[nodiscard]] auto offset(Position position) const -> uint32_t;
  /// A range whose end lies before its start is empty, at the start.
  [[nodiscard]] auto text_range(const Range& range) const -> TextRange;

  [[nodiscard]] auto encoding() const -> PositionEncoding { return encoding_; }
  [[nodiscard]] auto text() const -> std::string_view { return text_; }
  [[nodiscard]] auto lines() const -> const LineIndex& { return lines_; }

 private:
  std::string_view text_;
  const LineIndex& lines_;
  PositionEncoding encoding_;

  uint32_t last_offset_ = 0;
  Position last_;
  /// Where the line of `last_offset_` ends, its line end left out.
  uint32_t line_end_ = 0;
};

}  // namespace tacet::lsp
