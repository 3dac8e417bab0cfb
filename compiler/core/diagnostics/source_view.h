#pragma once

#include <functional>
#include <string_view>

#include "base/line_index.h"
#include "compiler/core/diagnostics/diagnostic.h"

namespace tacet {

/// What a report needs to know of a source file. Views of the caller's data.
struct SourceView {
  std::string_view path;  ///< as the reader should see it, `/` between folders
  std::string_view text;
  const LineIndex* lines = nullptr;  ///< of `text`; null if the file is not known

  [[nodiscard]] auto is_known() const -> bool { return lines != nullptr; }
};

/// Finds the file of a diagnostic. An unknown id gives a view that is not known;
/// reports then leave out what they would quote.
using SourceLookup = std::function<SourceView(FileId)>;

/// `range` cut to the bytes that the file has.
auto clamped(const SourceView& source, TextRange range) -> TextRange;

/// Line and column of a byte for people: both from one, columns in characters.
struct HumanPosition {
  uint32_t line = 1;
  uint32_t column = 1;
};

auto human_position(const SourceView& source, uint32_t offset) -> HumanPosition;

}  // namespace tacet
