#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/painter.h"
#include "compiler/core/diagnostics/source_view.h"

namespace tacet {

/// A range of a file to mark below its lines.
struct Mark {
  TextRange range;
  Ink ink = Ink::Label;
  char sign = '-';  ///< `^` below what is wrong, `-` below what explains it
  std::string_view message;
};

/// The columns that the number of the last line of `marks` takes.
auto gutter_width(const SourceView& source, const std::vector<Mark>& marks) -> uint32_t;

/// Prints the lines that `marks` touch with the marks and their messages below.
/// Ranges of several lines are drawn as a bracket at the left; lines in between that
/// say little are left out. The first mark is the one that stays visible in a line
/// too long for `width` columns.
void print_code_frame(Painter& painter, const SourceView& source, const std::vector<Mark>& marks,
                      uint32_t gutter, uint32_t width);

}  // namespace tacet
