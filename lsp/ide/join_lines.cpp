#include "lsp/ide/join_lines.h"

#include <algorithm>
#include <optional>

namespace tacet::ide {

/// Is the end of a line at `offset` in a comment: at the end of one of a line, or inside another?
static auto comment_at(const syntax::FileSyntax& syntax, uint32_t offset)
    -> std::optional<TextRange> {
  const syntax::Unit& unit = syntax.units[syntax.unit_at(offset)];
  for (const syntax::Comment& comment : unit.tree->comments) {
    const TextRange range = comment.range.shifted(unit.begin);
    if (range.begin < offset && offset <= range.end) {
      return range;
    }
  }
  return std::nullopt;
}

/// What stands between two lines that are joined where `before` and `behind` meet.
static auto joint(char before, char behind) -> std::string_view {
  const bool is_tight = before == '(' || before == '[' || behind == ')' || behind == ']' ||
                        behind == ',' || behind == ';' || behind == '.';
  return is_tight ? "" : " ";
}

/// The edit that takes away the end of a line at `line_end`; nothing if there is a comment that
/// would swallow the next line.
static auto join_at(const syntax::FileSyntax& syntax, std::string_view text, size_t line_end)
    -> std::optional<TextEdit> {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t next = line_end + 1;
  size_t behind = std::min(text.find_first_not_of(kBlanks, next), text.size());
  const size_t last = text.find_last_not_of(" \t\r\n", line_end);
  const size_t line_begin = line_end == 0 ? 0 : text.rfind('\n', line_end - 1) + 1;
  const bool is_blank = last == std::string_view::npos || last < line_begin;
  size_t before = is_blank ? line_begin : last + 1;
  const auto edit = [&](std::string_view between) {
    return TextEdit{{static_cast<uint32_t>(before), static_cast<uint32_t>(behind)},
                    std::string(between)};
  };
  if (is_blank || behind == text.size() || text[behind] == '\n') {
    return edit("");
  }
  if (comment_at(syntax, static_cast<uint32_t>(before))) {
    if (!text.substr(behind).starts_with("//")) {
      return std::nullopt;
    }
    const size_t words = text.find_first_not_of("/", behind);
    behind = std::min(text.find_first_not_of(kBlanks, words), text.size());
    return edit(" ");
  }
  const bool closes_list = text[behind] == ')' || text[behind] == ']';
  before -= closes_list && text[before - 1] == ',' ? 1 : 0;
  return edit(joint(text[before - 1], text[behind]));
}

auto join_lines(const syntax::FileSyntax& syntax, std::string_view text,
                std::span<const TextRange> ranges) -> std::vector<TextEdit> {
  std::vector<TextEdit> edits;
  if (syntax.units.empty()) {
    return edits;
  }
  for (const TextRange range : ranges) {
    size_t line_end = text.find('\n', range.begin);
    do {
      if (line_end == std::string_view::npos) {
        break;
      }
      if (auto edit = join_at(syntax, text, line_end)) {
        edits.push_back(*std::move(edit));
      }
      line_end = text.find('\n', line_end + 1);
    } while (line_end < range.end);
  }
  std::sort(edits.begin(), edits.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.range.begin < b.range.begin; });
  // Two cursors in one line, and blank lines, which an edit passes over as a whole.
  const auto overlaps = [](const TextEdit& a, const TextEdit& b) {
    return b.range.begin < a.range.end || a.range == b.range;
  };
  edits.erase(std::unique(edits.begin(), edits.end(), overlaps), edits.end());
  return edits;
}

}  // namespace tacet::ide
