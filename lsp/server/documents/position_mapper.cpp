#include "lsp/server/documents/position_mapper.h"

#include <algorithm>

namespace tacet::lsp {

/// Does `offset` point at the first byte of a character, or at the end?
static auto is_boundary(std::string_view text, uint32_t offset) -> bool {
  return offset >= text.size() || (static_cast<unsigned char>(text[offset]) & 0xC0U) != 0x80U;
}

auto PositionMapper::position(uint32_t offset) -> Position {
  bool is_ahead = offset >= last_offset_ && offset <= line_end_ && is_boundary(text_, offset);
  if (is_ahead) {
    last_.column += code_units(text_.substr(last_offset_, offset - last_offset_), encoding_);
    last_offset_ = offset;
    return last_;
  }
  Position found = lines_.position(text_, offset, encoding_, last_.line);
  if (is_boundary(text_, offset)) {
    last_offset_ = std::min(offset, static_cast<uint32_t>(text_.size()));
    last_ = found;
    line_end_ = lines_.line_range(text_, found.line).end;
  }
  return found;
}

auto PositionMapper::range(TextRange range) -> Range {
  Position start = position(range.begin);
  return {start, position(range.end)};
}

auto PositionMapper::offset(Position position) const -> uint32_t {
  return lines_.offset(text_, position, encoding_);
}

auto PositionMapper::text_range(const Range& range) const -> TextRange {
  uint32_t begin = offset(range.start);
  return {begin, std::max(begin, offset(range.end))};
}

}  // namespace tacet::lsp
