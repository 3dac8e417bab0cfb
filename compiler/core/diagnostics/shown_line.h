#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text_range.h"
#include "compiler/core/diagnostics/source_view.h"

namespace tacet {

/// A line of source as a report shows it: made printable and, when it is too long, cut to a window
/// around what matters.
class ShownLine {
 public:
  /// `focus` is the range that must be seen; `room` the columns there are.
  ShownLine(const SourceView& source, uint32_t line, TextRange focus, uint32_t room);

  [[nodiscard]] auto text() const -> const std::string& { return text_; }

  /// The column at which byte `offset` of the file shows; bytes outside the window
  /// show at its edges.
  [[nodiscard]] auto column(uint32_t offset) const -> uint32_t;

  /// True if only blanks precede `offset` in its line.
  [[nodiscard]] auto is_first_word(uint32_t offset) const -> bool;

 private:
  struct Cell {
    uint32_t offset;
    uint32_t column;
  };

  TextRange bytes_;          ///< of the line, without its end
  std::vector<Cell> cells_;  ///< one per shown grapheme, ascending
  uint32_t n_columns_ = 0;
  uint32_t n_blank_ = 0;  ///< blanks at the line's front, in bytes
  std::string text_;
};

}  // namespace tacet
