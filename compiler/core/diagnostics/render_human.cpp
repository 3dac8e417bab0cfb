#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/diagnostics/code_frame.h"
#include "compiler/core/diagnostics/painter.h"
#include "compiler/core/diagnostics/printable.h"
#include "compiler/core/diagnostics/reasons.h"
#include "compiler/core/diagnostics/render.h"

namespace tacet {

namespace {

/// The marks of one file, in the order of the diagnostic.
struct FileMarks {
  FileId file;
  SourceView source;
  std::vector<Mark> marks;
};

/// Lines of a file that edits replace, and what they become.
struct Hunk {
  uint32_t first_line = 0;
  std::vector<std::string_view> removed;
  std::vector<std::string_view> added;
};

constexpr size_t kMaxDiffLines = 12;

}  // namespace

static void print_message(Painter& painter, std::string_view lead, Ink lead_ink,
                          std::string_view message, Ink ink, uint32_t width) {
  auto indent = static_cast<uint32_t>(lead.size());
  uint32_t room = width > indent + 24 ? width - indent : 0;
  bool is_first = true;
  for (const std::string& line : wrapped(message, room)) {
    if (is_first) {
      painter.put(lead_ink, lead);
    } else {
      painter.put_repeated(indent, ' ');
    }
    painter.put(ink, line);
    painter.end_line();
    is_first = false;
  }
}

static auto marks_by_file(const Diagnostic& diagnostic, const SourceLookup& sources)
    -> std::vector<FileMarks> {
  std::vector<FileMarks> files;
  auto add = [&](FileId file, const Mark& mark) {
    auto known = std::find_if(files.begin(), files.end(),
                              [&](const FileMarks& marks) { return marks.file == file; });
    if (known != files.end()) {
      known->marks.push_back(mark);
      return;
    }
    SourceView source = sources(file);
    if (source.is_known()) {
      files.push_back({file, source, {mark}});
    }
  };
  add(diagnostic.place.file, {diagnostic.place.range, ink_of(diagnostic.severity), '^', ""});
  for (const Label& label : diagnostic.labels) {
    add(label.place.file, {label.place.range, Ink::Label, '-', label.message});
  }
  return files;
}

static auto split_lines(std::string_view text) -> std::vector<std::string_view> {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The lines that an edit at `range` touches, with their line ends.
static auto whole_lines(const SourceView& source, TextRange range) -> TextRange {
  auto position = [&](uint32_t offset) {
    return source.lines->position(source.text, offset, PositionEncoding::Utf8).line;
  };
  uint32_t first = position(range.begin);
  uint32_t last = position(range.end);
  auto size = static_cast<uint32_t>(source.text.size());
  uint32_t end = last + 1 < source.lines->n_lines()
                     ? source.lines->line_range(source.text, last + 1).begin
                     : size;
  return {source.lines->line_range(source.text, first).begin, end};
}

/// Drops lines that removed and added begin or end with alike.
static void trim_hunk(Hunk& hunk) {
  size_t shorter = std::min(hunk.removed.size(), hunk.added.size());
  size_t n_front = 0;
  while (n_front < shorter && hunk.removed[n_front] == hunk.added[n_front]) {
    ++n_front;
  }
  size_t n_back = 0;
  while (n_front + n_back < shorter && hunk.removed[hunk.removed.size() - 1 - n_back] ==
                                           hunk.added[hunk.added.size() - 1 - n_back]) {
    ++n_back;
  }
  for (std::vector<std::string_view>* lines : {&hunk.removed, &hunk.added}) {
    lines->resize(lines->size() - n_back);
    lines->erase(lines->begin(), lines->begin() + static_cast<ptrdiff_t>(n_front));
  }
  hunk.first_line += static_cast<uint32_t>(n_front);
}

static void print_diff_lines(Painter& painter, const std::vector<std::string_view>& lines,
                             uint32_t number, uint32_t gutter, char sign, Ink ink) {
  size_t n_shown = lines.size() <= kMaxDiffLines ? lines.size() : kMaxDiffLines - 1;
  for (size_t i = 0; i < n_shown; ++i) {
    painter.put(Ink::Gutter, fmt::format("{:>{}} ", number + i + 1, gutter));
    painter.put(ink, fmt::format("{} {}", sign, one_line(lines[i].substr(0, 400))));
    painter.end_line();
  }
  if (n_shown < lines.size()) {
    painter.put(Ink::Gutter, std::string(gutter, '.'));
    painter.put(ink, fmt::format(" {} and {} more lines", sign, lines.size() - n_shown));
    painter.end_line();
  }
}

/// Prints the fix as a diff of the lines it touches.
static void print_diff(Painter& painter, const SourceView& source, const Fix& fix) {
  std::vector<TextEdit> edits = sorted_edits(fix.edits);
  int64_t moved = 0;  // lines that earlier hunks added
  for (size_t i = 0; i < edits.size();) {
    TextRange lines = whole_lines(source, clamped(source, edits[i].range));
    std::vector<TextEdit> inside;
    while (i < edits.size() && (inside.empty() || edits[i].range.begin < lines.end)) {
      lines = cover(lines, whole_lines(source, clamped(source, edits[i].range)));
      inside.push_back(edits[i++]);
    }
    for (TextEdit& edit : inside) {
      edit.range = {edit.range.begin - lines.begin, edit.range.end - lines.begin};
    }
    std::string_view before = source.text.substr(lines.begin, lines.length());
    std::string after = apply_edits(before, inside);
    Hunk hunk;
    hunk.first_line = source.lines->position(source.text, lines.begin, PositionEncoding::Utf8).line;
    hunk.removed = split_lines(before);
    hunk.added = split_lines(after);
    trim_hunk(hunk);
    auto added_at = static_cast<uint32_t>(hunk.first_line + moved);
    size_t last = std::max(hunk.first_line + hunk.removed.size(), added_at + hunk.added.size());
    auto gutter = static_cast<uint32_t>(fmt::formatted_size("{}", last));
    print_diff_lines(painter, hunk.removed, hunk.first_line, gutter, '-', Ink::Removed);
    print_diff_lines(painter, hunk.added, added_at, gutter, '+', Ink::Added);
    moved += static_cast<int64_t>(hunk.added.size()) - static_cast<int64_t>(hunk.removed.size());
  }
}

static void print_fix(Painter& painter, const SourceView& source, const Fix& fix, uint32_t width) {
  std::string title = fix.title;
  if (fix.applicability == Applicability::Unsafe) {
    title += " (may change the program's behaviour)";
  }
  print_message(painter, "help: ", Ink::Hint, title, Ink::Plain, width);
  if (source.is_known()) {
    print_diff(painter, source, fix);
  }
}

/// `(4:9)`, with the path if it is another file.
static auto reason_place(const Reason& reason, const Diagnostic& diagnostic,
                         const SourceLookup& sources) -> std::string {
  const SourceView source = reason.has_place() ? sources(reason.place.file) : SourceView();
  if (!source.is_known()) {
    return {};
  }
  const HumanPosition at = human_position(source, reason.place.range.begin);
  const bool is_elsewhere = reason.place.file != diagnostic.place.file;
  return fmt::format(" ({}{}{}:{})", is_elsewhere ? one_line(source.path) : "",
                     is_elsewhere ? ":" : "", at.line, at.column);
}

/// The tree of reasons, indented.
static void print_reasons(Painter& painter, const Diagnostic& diagnostic,
                          const SourceLookup& sources, uint32_t gutter, uint32_t width) {
  const std::string lead = std::string(gutter, ' ') + " = because: ";
  for (const Reason& reason : diagnostic.reasons) {
    const std::string indent =
        reason.depth == 0 ? lead
                          : std::string(lead.size() + 2 * (size_t{reason.depth} - 1), ' ') + "- ";
    print_message(painter, indent, Ink::Gutter,
                  reason.text + reason_place(reason, diagnostic, sources), Ink::Plain, width);
  }
}

auto render_human(const Diagnostic& diagnostic, const SourceLookup& sources,
                  const HumanOptions& options) -> std::string {
  Painter painter(options.colour);
  std::string lead =
      fmt::format("{}[{}]: ", severity_name(diagnostic.severity), code_name(diagnostic.code));
  print_message(painter, lead, ink_of(diagnostic.severity), diagnostic.message, Ink::Strong,
                options.width);

  std::vector<FileMarks> files = marks_by_file(diagnostic, sources);
  uint32_t gutter = 1;
  for (const FileMarks& file : files) {
    gutter = std::max(gutter, gutter_width(file.source, file.marks));
  }
  for (const FileMarks& file : files) {
    HumanPosition at = human_position(file.source, file.marks.front().range.begin);
    bool is_primary = file.file == diagnostic.place.file;
    painter.put_repeated(gutter, ' ');
    painter.put(Ink::Gutter, is_primary ? "--> " : "::: ");
    painter.put(fmt::format("{}:{}:{}", one_line(file.source.path), at.line, at.column));
    painter.end_line();
    print_code_frame(painter, file.source, file.marks, gutter, options.width);
  }
  if (exceed_labels(diagnostic)) {
    print_reasons(painter, diagnostic, sources, gutter, options.width);
  }
  for (const std::string& note : diagnostic.notes) {
    print_message(painter, std::string(gutter, ' ') + " = note: ", Ink::Gutter, note, Ink::Plain,
                  options.width);
  }
  SourceView source = sources(diagnostic.place.file);
  for (const Fix& fix : diagnostic.fixes) {
    print_fix(painter, source, fix, options.width);
  }
  return painter.take();
}

}  // namespace tacet
