#include "compiler/core/diagnostics/source_view.h"

#include <algorithm>

namespace tacet {

auto clamped(const SourceView& source, TextRange range) -> TextRange {
  auto size = static_cast<uint32_t>(source.text.size());
  uint32_t begin = std::min(range.begin, size);
  return {begin, std::clamp(range.end, begin, size)};
}

auto human_position(const SourceView& source, uint32_t offset) -> HumanPosition {
  LineColumn at = source.lines->position(source.text, offset, PositionEncoding::Utf32);
  return {at.line + 1, at.column + 1};
}

}  // namespace tacet
