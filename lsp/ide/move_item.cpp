#include "lsp/ide/move_item.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace tacet::ide {

using syntax::Node;
using syntax::NodeKind;

namespace {

/// How the parts of a row are set: each on lines of its own, or with commas between them.
enum class RowKind : uint8_t { None, Lines, Commas };

auto row_kind(NodeKind kind) -> RowKind {
  static constexpr NodeKind kWithCommas[] = {
      NodeKind::Parameters,        NodeKind::Arguments,  NodeKind::ArrayExpression,
      NodeKind::TupleExpression,   NodeKind::RecordType, NodeKind::Implements,
      NodeKind::TemplateArguments, NodeKind::Results,    NodeKind::Flags};
  if (kind == NodeKind::Block || kind == NodeKind::SpecBlock || kind == NodeKind::FeqItem) {
    return RowKind::Lines;
  }
  return std::find(std::begin(kWithCommas), std::end(kWithCommas), kind) == std::end(kWithCommas)
             ? RowKind::None
             : RowKind::Commas;
}

auto is_punctuation(Node node) -> bool {
  const std::string_view text = node.text();
  return node.is(NodeKind::KwImpls) || node.is(NodeKind::KwFeq) ||
         (text.size() == 1 && std::string_view(",()[]{}<>").find(text[0]) != text.npos);
}

/// May the part change places with others? What a block yields stays last, and the name of a class
/// first.
auto is_movable(Node part, RowKind kind) -> bool {
  if (kind == RowKind::Commas) {
    return !is_punctuation(part);
  }
  return !part.is_leaf() && !part.is(NodeKind::ReturnsStatement) &&
         part.field() != syntax::Field::Result;
}

/// The beginning of the line that `offset` is in.
auto start_of_line(std::string_view text, size_t offset) -> size_t {
  return offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
}

/// With the lines of comments right above, and the comment behind on the same line.
auto with_comments(std::string_view text, TextRange range) -> TextRange {
  size_t begin = range.begin;
  for (size_t line = start_of_line(text, begin); line > 0;) {
    const size_t above = start_of_line(text, line - 1);
    const size_t first = text.find_first_not_of(" \t", above);
    if (!text.substr(first).starts_with("//")) {
      break;
    }
    begin = first;
    line = above;
  }
  size_t end = range.end;
  const size_t behind = text.find_first_not_of(" \t", end);
  if (behind != std::string_view::npos && text.substr(behind).starts_with("//")) {
    end = std::min(text.find_first_of("\r\n", behind), text.size());
  }
  return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

using Pair = std::pair<TextRange, TextRange>;

/// The part of `parent` that holds `selected`, and the one beside it; by offsets in the unit.
auto pair_in(Node parent, TextRange selected, RowKind kind, MoveDirection direction)
    -> std::optional<Pair> {
  std::vector<Node> parts;
  for (const Node child : parent.children()) {
    if (is_movable(child, kind)) {
      parts.push_back(child);
    }
  }
  const auto at = std::find_if(parts.begin(), parts.end(), [&](Node part) {
    return part.range().begin <= selected.begin && selected.end <= part.range().end;
  });
  const bool is_alone =
      at == parts.end() ||
      (direction == MoveDirection::Up ? at == parts.begin() : at + 1 == parts.end());
  if (is_alone) {
    return std::nullopt;
  }
  const auto other = direction == MoveDirection::Up ? at - 1 : at + 1;
  return Pair{at->range(), other->range()};
}

/// The item of the unit `unit` and the next one in that direction.
auto pair_of_items(const syntax::FileSyntax& syntax, size_t unit, MoveDirection direction)
    -> std::optional<Pair> {
  const auto item_of = [&](size_t i) { return syntax.units[i].item(); };
  const auto is_good = [&](size_t i) {
    return item_of(i) && !item_of(i).is(NodeKind::VersionHeader) &&
           syntax.units[i].tree->errors.empty();
  };
  const size_t n = syntax.units.size();
  const size_t other = direction == MoveDirection::Up ? unit - 1 : unit + 1;
  if (!is_good(unit) || other >= n || !is_good(other)) {
    return std::nullopt;
  }
  return Pair{item_of(unit).range().shifted(syntax.units[unit].begin),
              item_of(other).range().shifted(syntax.units[other].begin)};
}

/// What is exchanged, in the file.
auto find_pair(const syntax::FileSyntax& syntax, std::string_view text, TextRange selected,
               MoveDirection direction) -> std::optional<Pair> {
  const size_t index = syntax.unit_at(selected.begin);
  const syntax::Unit& unit = syntax.units[index];
  if (!unit.tree->errors.empty() || selected.end > unit.end()) {
    return std::nullopt;
  }
  const TextRange inside = {selected.begin - unit.begin, selected.end - unit.begin};
  const std::vector<Node> path = syntax::path_to(unit.tree->root(), inside.begin);
  for (size_t i = path.size(); i-- > 0;) {
    const RowKind kind = row_kind(path[i].kind());
    const bool holds = path[i].range().begin < inside.begin && inside.end < path[i].range().end;
    if (kind == RowKind::None || (!holds && !path[i].is(NodeKind::Implements))) {
      continue;
    }
    auto pair = pair_in(path[i], inside, kind, direction);
    if (!pair) {
      return std::nullopt;
    }
    pair = Pair{pair->first.shifted(unit.begin), pair->second.shifted(unit.begin)};
    return kind == RowKind::Commas
               ? pair
               : Pair{with_comments(text, pair->first), with_comments(text, pair->second)};
  }
  const auto pair = pair_of_items(syntax, index, direction);
  return pair ? std::optional(
                    Pair{with_comments(text, pair->first), with_comments(text, pair->second)})
              : std::nullopt;
}

}  // namespace

auto move_item(const syntax::FileSyntax& syntax, std::string_view text, TextRange selected,
               MoveDirection direction) -> std::vector<TextEdit> {
  if (syntax.units.empty()) {
    return {};
  }
  const auto pair = find_pair(syntax, text, selected, direction);
  if (!pair) {
    return {};
  }
  const auto [first, second] = std::minmax(
      pair->first, pair->second, [](TextRange a, TextRange b) { return a.begin < b.begin; });
  if (first.end > second.begin) {
    return {};
  }
  const auto text_of = [&](TextRange range) {
    return std::string(text.substr(range.begin, range.length()));
  };
  return {{first, text_of(second)}, {second, text_of(first)}};
}

}  // namespace tacet::ide
