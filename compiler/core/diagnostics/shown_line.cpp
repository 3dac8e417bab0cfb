#include "compiler/core/diagnostics/shown_line.h"

#include <algorithm>

#include "compiler/core/diagnostics/printable.h"

namespace tacet {

/// No line is laid out further than this from its focus: a file may be one line.
static constexpr uint32_t kReach = 1024;
static constexpr std::string_view kCut = "…";

/// The first byte at or after `offset` that does not continue a character.
static auto character_start(std::string_view text, uint32_t offset, uint32_t end) -> uint32_t {
  while (offset < end && (static_cast<unsigned char>(text[offset]) & 0xC0) == 0x80) {
    ++offset;
  }
  return offset;
}

namespace {

struct Piece {
  uint32_t offset;
  uint32_t column;
  PrintableGrapheme grapheme;
};

}  // namespace

static auto lay_out(std::string_view text, uint32_t begin, uint32_t end) -> std::vector<Piece> {
  std::vector<Piece> pieces;
  uint32_t column = 0;
  while (begin < end) {
    PrintableGrapheme grapheme = printable_grapheme(text.substr(begin, end - begin), column);
    pieces.push_back({begin, column, grapheme});
    begin += grapheme.n_bytes;
    column += grapheme.n_columns;
  }
  return pieces;
}

/// The first column of a window of `room` columns that shows `focus`.
static auto window_start(uint32_t n_columns, uint32_t focus_begin, uint32_t focus_end,
                         uint32_t room) -> uint32_t {
  if (n_columns <= room || focus_end + 2 <= room) {
    return 0;
  }
  uint32_t focus_width = focus_end - focus_begin;
  uint32_t before = focus_width + 2 >= room ? 2 : std::min(room / 3, room - focus_width - 2);
  uint32_t latest = n_columns - room + 1;  // beyond it the window would show nothing at its end
  return std::min(focus_begin - std::min(focus_begin, before), latest);
}

/// The bytes around `focus` that can be in sight: a line may be as long as a file.
static auto reachable(std::string_view text, TextRange line, TextRange focus) -> TextRange {
  TextRange bytes = line;
  if (focus.begin - line.begin > kReach) {
    bytes.begin = character_start(text, focus.begin - kReach, focus.begin);
  }
  if (line.end - focus.begin > kReach) {
    bytes.end = character_start(text, focus.begin + kReach, line.end);
  }
  return bytes;
}

/// The columns that `focus` takes among `pieces`, one at least.
static auto columns_of(const std::vector<Piece>& pieces, TextRange focus) -> TextRange {
  TextRange columns;
  uint32_t n_columns = 0;
  for (const Piece& piece : pieces) {
    n_columns = piece.column + piece.grapheme.n_columns;
    columns.begin = piece.offset <= focus.begin ? piece.column : columns.begin;
    columns.end = piece.offset < focus.end ? n_columns : columns.end;
  }
  bool is_behind =
      !pieces.empty() && focus.begin >= pieces.back().offset + pieces.back().grapheme.n_bytes;
  columns.begin = is_behind ? n_columns : columns.begin;
  columns.end = std::max(columns.end, columns.begin + 1);
  return columns;
}

ShownLine::ShownLine(const SourceView& source, uint32_t line, TextRange focus, uint32_t room)
    : bytes_(source.lines->line_range(source.text, line)) {
  std::string_view whole = source.text.substr(bytes_.begin, bytes_.length());
  n_blank_ = static_cast<uint32_t>(std::min(whole.find_first_not_of(" \t"), whole.size()));
  focus.begin = std::clamp(focus.begin, bytes_.begin, bytes_.end);
  focus.end = std::clamp(focus.end, focus.begin, bytes_.end);
  TextRange bytes = reachable(source.text, bytes_, focus);
  std::vector<Piece> pieces = lay_out(source.text, bytes.begin, bytes.end);
  uint32_t n_columns = pieces.empty() ? 0 : pieces.back().column + pieces.back().grapheme.n_columns;
  TextRange columns = columns_of(pieces, focus);
  uint32_t from = window_start(n_columns, columns.begin, columns.end, room);
  if (from > 0 || bytes.begin > bytes_.begin) {
    text_.append(kCut);
    n_columns_ = 1;
    ++from;  // the sign stands where the first column would
  }
  bool is_whole = bytes.end == bytes_.end;
  for (const Piece& piece : pieces) {
    if (piece.column < from) {
      continue;
    }
    uint32_t width = piece.grapheme.n_columns;
    bool has_more = piece.offset + piece.grapheme.n_bytes < bytes_.end;
    if (n_columns_ + width + (has_more ? 1 : 0) > room) {
      is_whole = false;
      break;
    }
    cells_.push_back({piece.offset, n_columns_});
    text_.append(piece.grapheme.shown);
    n_columns_ += width;
  }
  if (!is_whole) {
    cells_.push_back({cells_.empty() ? bytes.begin : cells_.back().offset + 1, n_columns_});
    text_.append(kCut);
  }
}

auto ShownLine::column(uint32_t offset) const -> uint32_t {
  if (cells_.empty()) {
    return 0;
  }
  if (offset >= bytes_.end) {
    return std::max(n_columns_, cells_.back().column);
  }
  auto next = std::upper_bound(cells_.begin(), cells_.end(), offset,
                               [](uint32_t at, const Cell& cell) { return at < cell.offset; });
  return next == cells_.begin() ? 0 : std::prev(next)->column;
}

auto ShownLine::is_first_word(uint32_t offset) const -> bool {
  return offset >= bytes_.begin && offset - bytes_.begin <= n_blank_;
}

}  // namespace tacet
