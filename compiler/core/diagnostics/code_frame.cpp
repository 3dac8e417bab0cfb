#include "compiler/core/diagnostics/code_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "compiler/core/diagnostics/printable.h"
#include "compiler/core/diagnostics/shown_line.h"

namespace tacet {

namespace {

constexpr uint32_t kMinRoom = 24;
constexpr uint32_t kMaxLanes = 4;
/// A bracket of more lines than this shows its two ends only.
constexpr uint32_t kMaxWholeLines = 6;

/// A mark with the lines it touches.
struct PlacedMark {
  Mark mark;
  uint32_t first_line = 0;
  uint32_t last_line = 0;
  uint32_t lane = 0;          ///< of a mark of several lines
  bool opens_inline = false;  ///< the bracket starts beside the line, not below it

  [[nodiscard]] auto is_bracket() const -> bool { return first_line != last_line; }
};

/// A mark of one line, in columns of the line as shown.
struct Underline {
  const Mark* mark = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// A row below a line of code: signs on a canvas, then perhaps a message.
class MarkRow {
 public:
  void set(uint32_t column, char sign, Ink ink) {
    if (column >= cells_.size()) {
      cells_.resize(column + 1, {' ', Ink::Plain});
    }
    cells_[column] = {sign, ink};
  }

  void print(Painter& painter) const {
    size_t i = 0;
    while (i < cells_.size()) {
      size_t end = i;
      std::string run;
      while (end < cells_.size() && cells_[end].ink == cells_[i].ink) {
        run.push_back(cells_[end++].sign);
      }
      painter.put(cells_[i].ink, run);
      i = end;
    }
  }

  [[nodiscard]] auto width() const -> uint32_t { return static_cast<uint32_t>(cells_.size()); }

 private:
  struct Cell {
    char sign;
    Ink ink;
  };
  std::vector<Cell> cells_;
};

class Frame {
 public:
  Frame(Painter& painter, const SourceView& source, uint32_t gutter, uint32_t width)
      : painter_(painter), source_(source), gutter_(gutter), width_(width) {}

  void print(const std::vector<Mark>& marks);

 private:
  void place(const std::vector<Mark>& marks);
  void assign_lanes();
  [[nodiscard]] auto shown_lines() const -> std::vector<uint32_t>;
  [[nodiscard]] auto focus(uint32_t line) const -> TextRange;
  [[nodiscard]] auto code_start() const -> uint32_t { return n_lanes_ == 0 ? 0 : n_lanes_ + 1; }

  void begin_row(std::string_view number);
  auto lanes() const -> MarkRow;
  void print_row(const MarkRow& row, Ink ink, std::string_view message);
  void print_line(uint32_t line);
  void print_underlines(const ShownLine& shown, uint32_t line);
  void print_hanging(const std::vector<Underline>& hanging);
  void print_brackets(const ShownLine& shown, uint32_t line);
  [[nodiscard]] auto room_for_message(uint32_t column) const -> uint32_t;

  Painter& painter_;
  const SourceView& source_;
  uint32_t gutter_;
  uint32_t width_;
  std::vector<PlacedMark> marks_;
  uint32_t n_lanes_ = 0;
  std::vector<const PlacedMark*> open_;  ///< brackets open at the row being printed, by lane
};

}  // namespace

static auto line_of(const SourceView& source, uint32_t offset) -> uint32_t {
  return source.lines->position(source.text, offset, PositionEncoding::Utf8).line;
}

/// The line in which a range ends; a range that ends with a line's end ends in that line.
static auto last_line_of(const SourceView& source, TextRange range) -> uint32_t {
  uint32_t first = line_of(source, range.begin);
  uint32_t last = line_of(source, range.end);
  if (last > first && source.lines->line_range(source.text, last).begin == range.end) {
    --last;
  }
  return last;
}

auto gutter_width(const SourceView& source, const std::vector<Mark>& marks) -> uint32_t {
  uint32_t last = 0;
  for (const Mark& mark : marks) {
    last = std::max(last, last_line_of(source, clamped(source, mark.range)));
  }
  return static_cast<uint32_t>(fmt::formatted_size("{}", last + 1));
}

void Frame::place(const std::vector<Mark>& marks) {
  for (const Mark& mark : marks) {
    PlacedMark placed{mark, 0, 0, 0, false};
    placed.mark.range = clamped(source_, mark.range);
    placed.first_line = line_of(source_, placed.mark.range.begin);
    placed.last_line = last_line_of(source_, placed.mark.range);
    marks_.push_back(placed);
  }
  assign_lanes();
}

/// Outer brackets stand further left. Where too many overlap, the innermost shrink to
/// their first line.
void Frame::assign_lanes() {
  std::vector<PlacedMark*> brackets;
  for (PlacedMark& mark : marks_) {
    if (mark.is_bracket()) {
      brackets.push_back(&mark);
    }
  }
  std::stable_sort(brackets.begin(), brackets.end(), [](const PlacedMark* a, const PlacedMark* b) {
    return a->first_line != b->first_line ? a->first_line < b->first_line
                                          : a->last_line > b->last_line;
  });
  uint32_t lane_ends[kMaxLanes] = {};
  for (PlacedMark* mark : brackets) {
    uint32_t lane = 0;
    while (lane < n_lanes_ && lane_ends[lane] >= mark->first_line) {
      ++lane;
    }
    if (lane == kMaxLanes) {
      mark->last_line = mark->first_line;
      continue;
    }
    n_lanes_ = std::max(n_lanes_, lane + 1);
    lane_ends[lane] = mark->last_line;
    mark->lane = lane;
  }
}

auto Frame::shown_lines() const -> std::vector<uint32_t> {
  std::set<uint32_t> lines;
  for (const PlacedMark& mark : marks_) {
    bool is_whole = mark.last_line - mark.first_line < kMaxWholeLines;
    for (uint32_t line = mark.first_line; is_whole && line <= mark.last_line; ++line) {
      lines.insert(line);
    }
    lines.insert(mark.first_line);
    lines.insert(mark.last_line);
  }
  std::vector<uint32_t> shown;
  for (uint32_t line : lines) {
    if (!shown.empty() && line == shown.back() + 2) {
      shown.push_back(line - 1);  // `...` would take as much space
    }
    shown.push_back(line);
  }
  return shown;
}

/// What must be seen of a line: the first mark that touches it.
auto Frame::focus(uint32_t line) const -> TextRange {
  for (const PlacedMark& mark : marks_) {
    if (mark.first_line == line && mark.last_line == line) {
      return mark.mark.range;
    }
    if (mark.first_line == line) {
      return {mark.mark.range.begin, mark.mark.range.begin};
    }
    if (mark.last_line == line) {
      return {mark.mark.range.end, mark.mark.range.end};
    }
  }
  uint32_t begin = source_.lines->line_range(source_.text, line).begin;
  return {begin, begin};
}

void Frame::begin_row(std::string_view number) {
  painter_.put(Ink::Gutter, fmt::format("{:>{}} | ", number, gutter_));
}

/// A row that holds the brackets that are open.
auto Frame::lanes() const -> MarkRow {
  MarkRow row;
  for (const PlacedMark* mark : open_) {
    row.set(mark->lane, '|', mark->mark.ink);
  }
  return row;
}

void Frame::print_row(const MarkRow& row, Ink ink, std::string_view message) {
  begin_row("");
  row.print(painter_);
  if (!message.empty()) {
    painter_.put(ink, message);
  }
  painter_.end_line();
}

auto Frame::room_for_message(uint32_t column) const -> uint32_t {
  uint32_t used = gutter_ + 3 + column;
  return width_ == 0 || used + kMinRoom > width_ ? 0 : width_ - used;
}

void Frame::print_line(uint32_t line) {
  uint32_t used = gutter_ + 3 + code_start();
  uint32_t width = width_ == 0 ? 400 : width_;
  ShownLine shown(source_, line, focus(line), std::max(width, used + kMinRoom) - used);
  for (PlacedMark& mark : marks_) {
    mark.opens_inline =
        mark.is_bracket() && mark.first_line == line && shown.is_first_word(mark.mark.range.begin);
  }
  MarkRow row = lanes();
  for (const PlacedMark& mark : marks_) {
    if (mark.opens_inline) {
      row.set(mark.lane, '/', mark.mark.ink);
    }
  }
  begin_row(fmt::format("{}", line + 1));
  if (n_lanes_ > 0) {
    row.set(code_start() - 1, ' ', Ink::Plain);
    row.print(painter_);
  }
  painter_.put(shown.text());
  painter_.end_line();
  for (const PlacedMark& mark : marks_) {
    if (mark.opens_inline) {
      open_.push_back(&mark);
    }
  }
  print_underlines(shown, line);
  print_brackets(shown, line);
}

void Frame::print_underlines(const ShownLine& shown, uint32_t line) {
  std::vector<Underline> underlines;
  for (const PlacedMark& mark : marks_) {
    if (mark.is_bracket() || mark.first_line != line) {
      continue;
    }
    uint32_t begin = shown.column(mark.mark.range.begin);
    uint32_t end = shown.column(mark.mark.range.end);
    underlines.push_back({&mark.mark, begin, std::max(end, begin + 1)});
  }
  if (underlines.empty()) {
    return;
  }
  MarkRow row = lanes();
  uint32_t furthest = 0;
  for (auto underline = underlines.rbegin(); underline != underlines.rend(); ++underline) {
    for (uint32_t column = underline->begin; column < underline->end; ++column) {
      row.set(code_start() + column, underline->mark->sign, underline->mark->ink);
    }
    furthest = std::max(furthest, underline->end);
  }
  std::stable_sort(underlines.begin(), underlines.end(),
                   [](const Underline& a, const Underline& b) { return a.begin < b.begin; });
  const Underline& last = underlines.back();
  uint32_t room = room_for_message(code_start() + furthest + 1);
  std::vector<std::string> message = wrapped(last.mark->message, room);
  bool is_beside = last.end == furthest && message.size() == 1 && !message.front().empty();
  print_row(row, last.mark->ink, is_beside ? " " + message.front() : "");
  if (is_beside) {
    underlines.pop_back();
  }
  std::erase_if(underlines, [](const Underline& u) { return u.mark->message.empty(); });
  print_hanging(underlines);
}

/// Messages that found no place beside their marks hang below them, the last first.
void Frame::print_hanging(const std::vector<Underline>& hanging) {
  auto bars = [&](size_t n, uint32_t before) {
    MarkRow row = lanes();
    for (size_t i = 0; i < n; ++i) {
      if (hanging[i].begin < before) {
        row.set(code_start() + hanging[i].begin, '|', hanging[i].mark->ink);
      }
    }
    return row;
  };
  if (!hanging.empty()) {
    print_row(bars(hanging.size(), hanging.back().begin + 1), Ink::Plain, "");
  }
  for (size_t i = hanging.size(); i-- > 0;) {
    uint32_t column = code_start() + hanging[i].begin;
    for (const std::string& text : wrapped(hanging[i].mark->message, room_for_message(column))) {
      MarkRow row = bars(i, hanging[i].begin);
      if (column > row.width()) {
        row.set(column - 1, ' ', Ink::Plain);
      }
      print_row(row, hanging[i].mark->ink, text);
    }
  }
}

/// The rows that open and close brackets at this line.
void Frame::print_brackets(const ShownLine& shown, uint32_t line) {
  auto reach = [&](const PlacedMark& mark, uint32_t column) {
    MarkRow row = lanes();
    for (uint32_t i = mark.lane + 1; i < column; ++i) {
      row.set(i, '_', mark.mark.ink);
    }
    row.set(column, mark.mark.sign, mark.mark.ink);
    return row;
  };
  for (const PlacedMark& mark : marks_) {
    if (mark.is_bracket() && mark.last_line == line) {
      uint32_t end = shown.column(mark.mark.range.end);
      MarkRow row = reach(mark, code_start() + std::max(end, 1U) - 1);
      std::vector<std::string> message =
          wrapped(mark.mark.message, room_for_message(row.width() + 1));
      print_row(row, mark.mark.ink, message.front().empty() ? "" : " " + message.front());
      std::erase(open_, &mark);
      for (size_t i = 1; i < message.size(); ++i) {
        MarkRow more = lanes();
        more.set(row.width(), ' ', Ink::Plain);
        print_row(more, mark.mark.ink, message[i]);
      }
    }
  }
  for (const PlacedMark& mark : marks_) {
    if (mark.is_bracket() && mark.first_line == line && !mark.opens_inline) {
      print_row(reach(mark, code_start() + shown.column(mark.mark.range.begin)), Ink::Plain, "");
      open_.push_back(&mark);
    }
  }
}

void Frame::print(const std::vector<Mark>& marks) {
  place(marks);
  painter_.put(Ink::Gutter, fmt::format("{:>{}} |", "", gutter_));
  painter_.end_line();
  std::vector<uint32_t> lines = shown_lines();
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0 && lines[i] != lines[i - 1] + 1) {
      painter_.put(Ink::Gutter, std::string(gutter_, '.'));
      painter_.put_repeated(3, ' ');
      lanes().print(painter_);
      painter_.end_line();
    }
    print_line(lines[i]);
  }
}

void print_code_frame(Painter& painter, const SourceView& source, const std::vector<Mark>& marks,
                      uint32_t gutter, uint32_t width) {
  Frame(painter, source, gutter, width).print(marks);
}

}  // namespace tacet
