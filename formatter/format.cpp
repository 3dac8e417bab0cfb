#include "formatter/format.h"

#include <algorithm>

#include "formatter/doc/doc.h"
#include "formatter/layout.h"
#include "formatter/minimal_edits.h"

namespace tacet::formatter {

using syntax::FileSyntax;
using syntax::Tree;
using syntax::Unit;

namespace {

/// `// fmt: off` holds from the unit it precedes up to the one that `// fmt: on` precedes.
enum class Switch : uint8_t { Unchanged, Off, On };

/// Formats units in sequence into one text.
class FileFormatter {
 public:
  FileFormatter(const Style& style, std::string_view line_end, Edits edits, size_t size)
      : style_(style), line_end_(line_end), edits_(edits), size_(size) {
    result_.text.reserve(size + size / 8);
  }

  /// `next` is the unit behind, null for the last one.
  void add(const Unit& unit, const Unit* next, bool is_wanted);
  auto take() -> FormatResult { return std::move(result_); }

 private:
  void add_as_it_is(const Unit& unit);
  void add_formatted(const Unit& unit, bool is_last);
  void make_room_for_edits(uint32_t n_read);

  Style style_;
  std::string_view line_end_;
  Edits edits_;
  size_t size_;
  FormatResult result_;
  doc::Builder builder_;
  doc::Doc doc_;
  bool is_off_ = false;
  bool was_formatted_ = false;
  bool is_at_line_start_ = true;  ///< in the old text
};

}  // namespace

static auto print_options(const Style& style, std::string_view line_end) -> doc::PrintOptions {
  const bool has_tabs = style.indentation == Style::Indentation::Tabs;
  return {style.width, style.tab_width,
          has_tabs ? doc::PrintOptions::Blanks::Tabs : doc::PrintOptions::Blanks::Spaces, line_end};
}

static constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

static auto is_line_end(char c) -> bool {
  return c == '\n' || c == '\r';
}

/// Line ends before the first token or comment.
static auto n_leading_line_ends(std::string_view text) -> uint32_t {
  uint32_t n = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_line_end(text[i])) {
      n += text[i] == '\r' && text.substr(i + 1, 1) == "\n" ? 0 : 1;
    } else if (text[i] != ' ' && text[i] != '\t' && text[i] != '\f' && text[i] != '\v') {
      break;
    }
  }
  return n;
}

/// The last `fmt:` switch among the comments before the unit's item.
static auto switch_of(const Tree& tree) -> Switch {
  auto result = Switch::Unchanged;
  uint32_t item = tree.nodes.size() > 1 ? tree.nodes[1].begin : UINT32_MAX;
  for (const syntax::Comment& comment : tree.comments) {
    if (comment.range.begin > item) {
      break;
    }
    std::string_view text =
        std::string_view(tree.text).substr(comment.range.begin, comment.range.length());
    if (text == "// fmt: off") {
      result = Switch::Off;
    } else if (text == "// fmt: on") {
      result = Switch::On;
    }
  }
  return result;
}

/// Would what follows be taken for a part of an item that lost its semicolon? A stray semicolon for
/// its end; broken text, such as `.x`, for more of its value.
static auto would_join(const Tree& tree, const Unit* next) -> bool {
  if (next == nullptr || next->tree->nodes.size() < 2) {
    return false;
  }
  const bool loses_semicolon = tree.nodes.back().kind == syntax::NodeKind::Semicolon;
  return next->tree->text[next->tree->nodes[1].begin] == ';' ||
         (loses_semicolon && !next->tree->errors.empty());
}

void FileFormatter::add(const Unit& unit, const Unit* next, bool is_wanted) {
  const Tree& tree = *unit.tree;
  Switch change = switch_of(tree);
  is_off_ = change == Switch::Unchanged ? is_off_ : change == Switch::Off;
  if (is_wanted && !is_off_ && tree.errors.empty() && !would_join(tree, next)) {
    add_formatted(unit, next == nullptr);
  } else {
    add_as_it_is(unit);
  }
  if (!tree.text.empty()) {
    is_at_line_start_ = is_line_end(tree.text.back());
  }
}

void FileFormatter::add_as_it_is(const Unit& unit) {
  std::string_view text = unit.tree->text;
  // What was formatted has lost the blanks behind it.
  bool needs_line = was_formatted_ && !result_.text.empty() && n_leading_line_ends(text) == 0;
  if (needs_line && !text.empty()) {
    result_.text += line_end_;
    if (edits_ == Edits::Wanted) {
      result_.edits.push_back({{unit.begin, unit.begin}, std::string(line_end_)});
    }
  }
  result_.text += text;
  was_formatted_ = false;
}

/// A unit begins with the end of the line before it; only the last one brings its own.
void FileFormatter::add_formatted(const Unit& unit, bool is_last) {
  const Tree& tree = *unit.tree;
  std::string& out = result_.text;
  size_t begin = out.size();
  bool is_blank_before = n_leading_line_ends(tree.text) >= (is_at_line_start_ ? 1 : 2);
  if (out.empty() && tree.text.starts_with(kByteOrderMark)) {
    out += kByteOrderMark;
  } else if (!out.empty() && !is_line_end(out.back())) {
    out += line_end_;
  }
  if (begin != 0 && is_blank_before) {
    out += line_end_;
  }
  was_formatted_ = true;
  size_t begin_text = out.size();
  Layout layout(tree, style_, builder_);
  lay_out_unit(layout);
  builder_.finish(doc_);
  doc::print(doc_, tree.text, print_options(style_, line_end_), out);
  if (out.size() == begin_text) {
    out.resize(begin);
  }
  if (is_last && !out.empty() && !is_line_end(out.back())) {
    out += line_end_;
  }
  if (edits_ == Edits::Wanted) {
    make_room_for_edits(unit.begin);
    append_minimal_edits(tree.text, std::string_view(out).substr(begin), unit.begin, result_.edits);
  }
}

/// An untidy file has an edit for every few bytes, which would be moved each time that their number
/// has doubled. The first `n_read` bytes estimate how many there may be, with a limit for untidy
/// starts.
void FileFormatter::make_room_for_edits(uint32_t n_read) {
  std::vector<TextEdit>& edits = result_.edits;
  if (n_read > 0 && edits.capacity() - edits.size() < edits.size() / 8) {
    const size_t expected = edits.size() * size_ / n_read * 5 / 4;
    edits.reserve(std::min(expected, edits.size() * 8));
  }
}

/// What most lines of a file end with.
static auto dominant_line_end(const FileSyntax& file) -> std::string_view {
  size_t n_windows = 0;
  size_t n_unix = 0;
  for (const Unit& unit : file.units) {
    std::string_view text = unit.tree->text;
    for (size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1)) {
      i > 0 && text[i - 1] == '\r' ? ++n_windows : ++n_unix;
    }
  }
  return n_windows > n_unix ? "\r\n" : "\n";
}

static auto line_end_of(const FileSyntax& file, const Style& style) -> std::string_view {
  switch (style.line_end) {
    case Style::LineEnd::AsMostOfTheFile:
      return dominant_line_end(file);
    case Style::LineEnd::Unix:
      return "\n";
    case Style::LineEnd::Windows:
      return "\r\n";
  }
  return "\n";
}

auto format_range(const FileSyntax& file, TextRange range, Edits edits, const Style& style)
    -> FormatResult {
  FileFormatter formatter(style, line_end_of(file, style), edits, file.size());
  for (size_t i = 0; i < file.units.size(); ++i) {
    const Unit& unit = file.units[i];
    bool is_wanted = unit.begin < range.end && unit.end() > range.begin;
    bool holds_cursor = range.is_empty() && unit.begin <= range.begin && range.begin <= unit.end();
    const Unit* next = i + 1 < file.units.size() ? &file.units[i + 1] : nullptr;
    formatter.add(unit, next, is_wanted || holds_cursor);
  }
  FormatResult result = formatter.take();
  result.diagnostics = syntax::syntax_errors(file, FileId{});
  return result;
}

auto format(const FileSyntax& file, Edits edits, const Style& style) -> FormatResult {
  return format_range(file, {0, std::max(file.size(), 1U)}, edits, style);
}

auto format(std::string_view text, syntax::Language language, Edits edits, const Style& style)
    -> FormatResult {
  return format(syntax::parse_file(text, language), edits, style);
}

auto format_unit(const Tree& tree, std::string_view line_end) -> std::string {
  doc::Builder builder;
  const Style style;
  Layout layout(tree, style, builder);
  lay_out_unit(layout);
  std::string out;
  doc::print(builder.finish(), tree.text, print_options(style, line_end), out);
  return out;
}

}  // namespace tacet::formatter
