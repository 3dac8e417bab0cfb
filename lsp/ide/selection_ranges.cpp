#include "lsp/ide/selection_ranges.h"

namespace tacet::ide {

/// Adds what is larger than all before.
static void widen(std::vector<TextRange>& ranges, TextRange range) {
  const bool is_larger =
      ranges.empty() || (range.begin <= ranges.back().begin && range.end >= ranges.back().end &&
                         range != ranges.back());
  if (is_larger && !range.is_empty()) {
    ranges.push_back(range);
  }
}

auto selection_ranges(const syntax::FileSyntax& file, uint32_t offset) -> std::vector<TextRange> {
  std::vector<TextRange> ranges;
  if (!file.units.empty()) {
    const syntax::Unit& unit = file.units[file.unit_at(offset)];
    const uint32_t at = offset - unit.begin;
    for (const syntax::Comment& comment : unit.tree->comments) {
      if (comment.range.touches(at)) {
        widen(ranges, comment.range.shifted(unit.begin));
      }
    }
    const std::vector<syntax::Node> path = syntax::path_to(unit.tree->root(), at);
    for (auto node = path.rbegin(); node != path.rend(); ++node) {
      if (node->range().touches(at)) {  // white space is in no item
        widen(ranges, node->range().shifted(unit.begin));
      }
    }
  }
  widen(ranges, {0, file.size()});
  return ranges;
}

auto ended_by_token(const syntax::FileSyntax& file, uint32_t offset) -> std::optional<TextRange> {
  if (offset == 0 || file.units.empty()) {
    return std::nullopt;
  }
  const syntax::Unit& unit = file.units[file.unit_at(offset - 1)];
  const std::vector<syntax::Node> path =
      syntax::path_to(unit.tree->root(), offset - 1 - unit.begin);
  if (path.size() < 2) {
    return std::nullopt;
  }
  const bool is_end =
      path.back().is(syntax::NodeKind::RightBrace) || path.back().is(syntax::NodeKind::Semicolon);
  TextRange range = path[path.size() - 2].range();
  if (!is_end || range.end + unit.begin != offset) {
    return std::nullopt;
  }
  // A block is part of its owner: an item, an `if`, a loop.
  for (size_t i = path.size() - 2; i > 0 && path[i - 1].range().end == range.end; --i) {
    range = path[i - 1].range();
  }
  return range.shifted(unit.begin);
}

}  // namespace tacet::ide
