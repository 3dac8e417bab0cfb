#include "lsp/ide/organize_imports.h"

#include <algorithm>

#include "compiler/core/diagnostics/code.h"

namespace tacet::ide {

using syntax::NodeKind;

namespace {

struct Import {
  std::string_view name;
  TextRange range;  ///< of the item
  bool is_used = true;
};

/// Imports on lines that follow each other.
using Row = std::vector<Import>;

auto is_blank(std::string_view text) -> bool {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

auto is_used(TextRange import, std::span<const Diagnostic> found) -> bool {
  return std::none_of(found.begin(), found.end(), [&](const Diagnostic& diagnostic) {
    const TextRange place = diagnostic.place.range;
    return diagnostic.code == DiagnosticCode::T9001 && import.begin <= place.begin &&
           place.end <= import.end;
  });
}

/// The imports in front of all else but the version, by rows; none if comments stand among them.
auto rows_of(const syntax::FileSyntax& syntax, std::string_view text,
             std::span<const Diagnostic> found) -> std::vector<Row> {
  std::vector<Row> rows;
  bool is_commented = false;
  uint32_t end_before = 0;
  for (const syntax::Unit& unit : syntax.units) {
    const syntax::Node item = unit.item();
    if (item.is(NodeKind::VersionHeader)) {
      end_before = unit.begin + item.range().end;
      continue;
    }
    if (!item.is(NodeKind::ImportItem) || !unit.tree->errors.empty()) {
      break;
    }
    const TextRange range = item.range().shifted(unit.begin);
    const std::string_view between = text.substr(end_before, range.begin - end_before);
    const bool continues =
        !rows.empty() && is_blank(between) && std::count(between.begin(), between.end(), '\n') == 1;
    if (!continues) {
      rows.emplace_back();
    }
    is_commented = is_commented || !is_blank(between);
    rows.back().push_back({item.child(syntax::Field::Name).text(), range, is_used(range, found)});
    end_before = range.end;
  }
  const size_t line_end = std::min(text.find('\n', end_before), text.size());
  const bool ends_commented = !is_blank(text.substr(end_before, line_end - end_before));
  return is_commented || ends_commented ? std::vector<Row>() : rows;
}

}  // namespace

/// A row in order, as the lines that it takes.
static auto sorted_lines(const Row& row, std::string_view text) -> std::string {
  Row kept = row;
  std::erase_if(kept, [](const Import& import) { return !import.is_used; });
  std::stable_sort(kept.begin(), kept.end(),
                   [](const Import& a, const Import& b) { return a.name < b.name; });
  kept.erase(std::unique(kept.begin(), kept.end(),
                         [](const Import& a, const Import& b) { return a.name == b.name; }),
             kept.end());
  const size_t behind_first = row.front().range.end;
  const std::string_view line_end =
      text.substr(behind_first, 2) == "\r\n" ? std::string_view("\r\n") : std::string_view("\n");
  std::string lines;
  for (const Import& import : kept) {
    lines += lines.empty() ? std::string_view() : line_end;
    lines += text.substr(import.range.begin, import.range.length());
  }
  return lines;
}

auto organize_imports(const syntax::FileSyntax& syntax, std::string_view text,
                      std::span<const Diagnostic> found) -> std::vector<TextEdit> {
  std::vector<TextEdit> edits;
  for (const Row& row : rows_of(syntax, text, found)) {
    TextRange range{row.front().range.begin, row.back().range.end};
    std::string lines = sorted_lines(row, text);
    if (lines.empty()) {
      // The line goes with what was on it.
      const size_t next = std::min(text.find('\n', range.end), text.size() - 1) + 1;
      range.end = static_cast<uint32_t>(next);
    }
    if (text.substr(range.begin, range.length()) != lines) {
      edits.push_back({range, std::move(lines)});
    }
  }
  return edits;
}

}  // namespace tacet::ide
