#include "compiler/diagnostics/shown_line.h"

#include <algorithm>

#include "compiler/diagnostics/printable.h"

namespace tacet {

/// No line is laid out further than this from its focus: a file may be one line.
static constexpr uint32_t kReach = 4096;
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

ShownLine::ShownLine(const SourceView& source, uint32_t line, TextRange focus, uint32_t room)
    : bytes_(source.lines->line_range(source.text, line)) {
  uint32_t focus_begin = std::clamp(focus.begin, bytes_.begin, bytes_.end);
  uint32_t focus_end = std::clamp(focus.end, focus_begin, bytes_.end);
  uint32_t begin = bytes_.begin;
  if (focus_begin - begin > kReach) {
    begin = character_start(source.text, focus_begin - kReach, focus_begin);
  }
  uint32_t end = bytes_.end;
  if (end - focus_begin > kReach) {
    end = character_start(source.text, focus_begin + kReach, end);
  }
  while (n_blank_ < bytes_.length() && (source.text[bytes_.begin + n_blank_] == ' ' ||
                                        source.text[bytes_.begin + n_blank_] == '\t')) {
    ++n_blank_;
  }

  std::vector<Piece> pieces = lay_out(source.text, begin, end);
  uint32_t n_columns = 0;
  uint32_t focus_first = 0;
  uint32_t focus_last = 0;
  for (const Piece& piece : pieces) {
    n_columns = piece.column + piece.grapheme.n_columns;
    focus_first = piece.offset <= focus_begin ? piece.column : focus_first;
    focus_last = piece.offset < focus_end ? n_columns : focus_last;
  }
  focus_first = pieces.empty() || focus_begin < end ? focus_first : n_columns;
  focus_last = std::max(focus_last, focus_first + 1);

  uint32_t from = window_start(n_columns, focus_first, focus_last, room);
  bool is_cut_left = from > 0 || begin > bytes_.begin;
  if (is_cut_left) {
    text_.append(kCut);
    n_columns_ = 1;
  }
  bool is_cut_right = false;
  for (const Piece& piece : pieces) {
    uint32_t width = piece.grapheme.n_columns;
    if (piece.column < from || (is_cut_left && piece.column == from && from > 0)) {
      continue;
    }
    bool has_more = piece.offset + piece.grapheme.n_bytes < bytes_.end;
    if (n_columns_ + width + (has_more ? 1 : 0) > room) {
      is_cut_right = true;
      break;
    }
    cells_.push_back({piece.offset, n_columns_});
    text_.append(piece.grapheme.shown);
    n_columns_ += width;
  }
  is_cut_right = is_cut_right || end < bytes_.end;
  if (is_cut_right) {
    cells_.push_back({cells_.empty() ? begin : cells_.back().offset + 1, n_columns_});
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
