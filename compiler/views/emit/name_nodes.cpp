#include "compiler/views/emit/name_nodes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/front/names/file_items.h"

namespace tacet::emit {

using infer::SpecNodeId;
using infer::TermKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

class Namer {
 public:
  Namer(const program::FrontendSnapshot& snapshot, const infer::SpecGraph& spec,
        infer::NodeNames& names)
      : snapshot_(snapshot), spec_(spec), tree_(snapshot.tree(spec.item)), names_(names) {
    for (uint32_t i = 0; i < tree_->nodes.size(); ++i) {
      if (tree_->nodes[i].kind == NodeKind::Identifier) {
        taken_.emplace(node(i).text());
      }
    }
  }

  auto run(const std::vector<SpecNodeId>& needed, const std::vector<uint32_t>& outputs)
      -> std::vector<TextEdit> {
    for (SpecNodeId id : needed) {
      if (names_.of_node[id.index].empty()) {
        cut(id);
      }
    }
    std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
      return a.range.end != b.range.end ? a.range.end < b.range.end : a.range.begin > b.range.begin;
    });
    for (Piece& piece : pieces_) {
      for (SpecNodeId id : piece.nodes) {
        names_.of_node[id.index] = fresh(stem(id));
        piece.names.push_back(names_.of_node[id.index]);
      }
    }
    for (uint32_t output : outputs) {
      name_output(output);
    }
    write_definitions();
    return std::move(edits_);
  }

 private:
  /// An expression of the text that becomes a definition.
  struct Piece {
    TextRange range;  ///< parentheses around it included
    TextRange inner;  ///< without them
    std::vector<SpecNodeId> nodes;
    std::vector<std::string> names;
  };

  auto node(uint32_t index) const -> Node { return {tree_.get(), index}; }
  auto text(TextRange range) const -> std::string_view {
    return std::string_view(tree_->text).substr(range.begin, range.end - range.begin);
  }

  /// Makes a piece of the expression that `id` is. A call with several results is one piece.
  void cut(SpecNodeId id) {
    const uint32_t at = spec_.nodes[id].node;
    Piece piece;
    piece.inner = node(at).range();
    piece.range = piece.inner;
    for (uint32_t i = at; i-- > 0;) {
      Node outer = node(i);
      if (outer.is(NodeKind::LeftParen)) {
        continue;
      }
      if (!outer.is(NodeKind::ParenthesizedExpression) || outer.subtree_end() <= at) {
        break;
      }
      piece.range = outer.range();
    }
    if (std::any_of(pieces_.begin(), pieces_.end(),
                    [&](const Piece& other) { return other.inner == piece.inner; })) {
      return;
    }
    for (uint32_t i = 0; i < spec_.nodes.size(); ++i) {
      const infer::SpecNode& other = spec_.nodes[SpecNodeId{i}];
      // What a call or an encoding gives are other nodes, beside that of the step.
      const bool is_value =
          other.term.kind != TermKind::Call && other.term.kind != TermKind::EncodeEvent;
      if (other.node == at && is_value && !other.name.has_value()) {
        piece.nodes.push_back({i});
      }
    }
    pieces_.push_back(std::move(piece));
  }

  /// What a fresh name for `id` begins with.
  auto stem(SpecNodeId id) const -> std::string_view {
    if (std::find(spec_.outputs.begin(), spec_.outputs.end(), id) != spec_.outputs.end()) {
      return "ret";
    }
    for (SpecNodeId parent : spec_.parents[id.index]) {
      const infer::SpecNode& user = spec_.nodes[parent];
      if (user.term.kind == TermKind::Select && user.children[0] == id) {
        return "c";
      }
    }
    const TermKind kind = spec_.nodes[id].term.kind;
    return kind == TermKind::Literal || kind == TermKind::Constant ? "k"
           : kind == TermKind::Extract                             ? "r"
                                                                   : "t";
  }

  auto fresh(std::string_view stem) -> std::string {
    std::string name(stem);
    for (uint32_t i = 2; !taken_.insert(name).second; ++i) {
      name = fmt::format("{}{}", stem, i);
    }
    return name;
  }

  void name_output(uint32_t output) {
    if (!names_.of_output[output].empty()) {
      return;
    }
    uint32_t ordinal = 0;
    for (Node given : names::item_node(*tree_).child(Field::Results).children()) {
      if (given.is(NodeKind::Result) && ordinal++ == output) {
        names_.of_output[output] = fresh("out");
        const uint32_t begin = given.range().begin;
        edits_.push_back({{begin, begin}, names_.of_output[output] + ": "});
      }
    }
  }

  static auto is_within(TextRange inner, TextRange outer) -> bool {
    return outer.begin <= inner.begin && inner.end <= outer.end;
  }

  /// The text of `range`, pieces other than `whole` in it replaced by their names.
  auto rewritten(TextRange range, const Piece* whole) const -> std::string {
    std::vector<TextEdit> edits;
    // Outer pieces follow the pieces within them.
    for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece) {
      const bool is_covered = std::any_of(edits.begin(), edits.end(), [&](const TextEdit& edit) {
        return is_within(piece->range,
                         {edit.range.begin + range.begin, edit.range.end + range.begin});
      });
      if (&*piece != whole && is_within(piece->range, range) && !is_covered) {
        edits.push_back(
            {{piece->range.begin - range.begin, piece->range.end - range.begin}, list(*piece)});
      }
    }
    return apply_edits(text(range), sorted_edits(edits));
  }

  static auto list(const Piece& piece) -> std::string {
    return piece.names.size() == 1 ? piece.names[0]
                                   : fmt::format("({})", fmt::join(piece.names, ", "));
  }

  auto definition(const Piece& piece) const -> std::string {
    std::string bindings;
    for (size_t i = 0; i < piece.nodes.size(); ++i) {
      const types::TypeId type = spec_.nodes[piece.nodes[i]].type;
      const bool is_known = snapshot_.types()[type].kind == types::TypeKind::Value;
      bindings += fmt::format(
          "{}{}{}", i == 0 ? "" : ", ", piece.names[i],
          is_known ? ": " + types::type_text(snapshot_.types(), snapshot_.interner(), type) : "");
    }
    return fmt::format("{} :- {}\n", bindings, rewritten(piece.inner, &piece));
  }

  /// In front of each statement, the definitions of the pieces in it; in the statement, names.
  void write_definitions() {
    for (Node statement : names::item_node(*tree_).child(Field::Body).children()) {
      if (!syntax::is_named(statement.kind())) {
        continue;
      }
      std::string before;
      for (const Piece& piece : pieces_) {
        if (is_within(piece.range, statement.range())) {
          before += definition(piece);
        }
      }
      if (!before.empty()) {
        edits_.push_back({statement.range(), before + rewritten(statement.range(), nullptr)});
      }
    }
  }

  const program::FrontendSnapshot& snapshot_;
  const infer::SpecGraph& spec_;
  names::ItemTree tree_;
  infer::NodeNames& names_;
  std::set<std::string, std::less<>> taken_;
  std::vector<Piece> pieces_;
  std::vector<TextEdit> edits_;
};

}  // namespace

auto name_nodes(const program::FrontendSnapshot& snapshot, const infer::SpecGraph& spec,
                const std::vector<SpecNodeId>& needed, const std::vector<uint32_t>& outputs,
                infer::NodeNames& names) -> std::vector<TextEdit> {
  return Namer(snapshot, spec, names).run(needed, outputs);
}

}  // namespace tacet::emit
