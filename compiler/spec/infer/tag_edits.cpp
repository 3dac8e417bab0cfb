#include "compiler/spec/infer/tag_edits.h"

#include <fmt/format.h>

#include "compiler/core/syntax/kind_groups.h"

namespace tacet::infer {

using hir::Opcode;
using syntax::ExpressionKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

using Edits = std::optional<std::vector<TextEdit>>;

class TagPlace {
 public:
  TagPlace(const hir::Function& function, const syntax::Tree& tree, std::string_view name)
      : function_(function), tree_(tree), text_(fmt::format(" @ node(val.{})", name)) {}

  auto find(hir::ValueId value, uint32_t at) const -> Edits {
    if (!value.has_value() || at == hir::kNoNode) {
      return std::nullopt;
    }
    const hir::Instruction& definition = function_.definition_of(value);
    if (definition.opcode == Opcode::Phi) {
      return on_choice(function_.values[value].definition);
    }
    const uint32_t result = value.index - definition.results.begin;
    if (Node binding = binding_of(at, result)) {
      return behind(binding);
    }
    // One of several results is identifiable only where it gets a name.
    const bool is_one_of_several = definition.results.size() > 1;
    return is_one_of_several ? std::nullopt : on_expression(node(at));
  }

 private:
  auto node(uint32_t index) const -> Node { return {&tree_, index}; }

  auto behind(Node place) const -> Edits {
    if (place.child(Field::Tags)) {
      return std::nullopt;
    }
    const uint32_t end = place.range().end;
    return std::vector<TextEdit>{{{end, end}, text_}};
  }

  /// The parent of a node.
  auto parent(uint32_t at) const -> Node {
    for (uint32_t i = at; i-- > 0;) {
      if (node(i).subtree_end() > at) {
        return node(i);
      }
    }
    return {};
  }

  /// The variable that `let` or `var` gives the result number `result` of the value at `at` to.
  auto binding_of(uint32_t at, uint32_t result) const -> Node {
    Node statement = parent(at);
    const bool binds = statement.is(NodeKind::LetStatement) || statement.is(NodeKind::VarStatement);
    if (!binds || statement.child(Field::Value).index() != at) {
      return {};
    }
    for (Node child : statement.children()) {
      if (child.is(NodeKind::Binding) && result-- == 0) {
        return child;
      }
    }
    return {};
  }

  /// `if @ node(val.r) c { … }`.
  auto on_choice(hir::InstructionId phi) const -> Edits {
    for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
      const hir::Terminator& split = function_.blocks[hir::BlockId{i}].terminator;
      if (split.kind != hir::TerminatorKind::Branch) {
        continue;
      }
      const hir::Block& join = function_.blocks[split.join];
      uint32_t n_chosen = 0;
      bool is_here = false;
      for (hir::InstructionId id : join.instructions) {
        n_chosen += function_.instructions[id].opcode == Opcode::Phi ? 1 : 0;
        is_here = is_here || id == phi;
      }
      Node choice = split.node == hir::kNoNode ? Node() : node(split.node);
      if (!is_here || n_chosen != 1 || !choice) {
        continue;
      }
      if (choice.is(NodeKind::ConditionalExpression)) {
        return on_expression(choice);
      }
      constexpr uint32_t kIf = 2;
      const uint32_t at = choice.range().begin + kIf;
      return choice.child(Field::Tags) ? Edits() : Edits(std::vector<TextEdit>{{{at, at}, text_}});
    }
    return std::nullopt;
  }

  /// Behind the value, if tags may be there, else behind parentheses around it.
  auto on_expression(Node value) const -> Edits {
    if (parent(value.index()).is(NodeKind::TaggedExpression)) {
      return std::nullopt;
    }
    switch (syntax::expression_kind(value.kind())) {
      case ExpressionKind::Integer:
      case ExpressionKind::Float:
      case ExpressionKind::Boolean:
      case ExpressionKind::Identifier:
      case ExpressionKind::Call:
        return behind(value);
      case ExpressionKind::Unary:
      case ExpressionKind::Binary:
      case ExpressionKind::Cast:
      case ExpressionKind::Conditional:
      case ExpressionKind::Index:
      case ExpressionKind::Slice: {
        if (Node outer = parent(value.index()); outer.is(NodeKind::ParenthesizedExpression)) {
          return on_parentheses(outer);
        }
        const TextRange range = value.range();
        return std::vector<TextEdit>{{{range.begin, range.begin}, "("},
                                     {{range.end, range.end}, ")" + text_}};
      }
      case ExpressionKind::None:
      case ExpressionKind::Array:
      case ExpressionKind::Await:
      case ExpressionKind::Dim:
      case ExpressionKind::EncodeBegin:
      case ExpressionKind::Field:
      case ExpressionKind::For:
      case ExpressionKind::Hole:
      case ExpressionKind::If:
      case ExpressionKind::Let:
      case ExpressionKind::Parenthesized:
      case ExpressionKind::Path:
      case ExpressionKind::Range:
      case ExpressionKind::StatementHole:
      case ExpressionKind::String:
      case ExpressionKind::Submit:
      case ExpressionKind::Tagged:
      case ExpressionKind::Tuple:
        return std::nullopt;
    }
    return std::nullopt;
  }

  auto on_parentheses(Node outer) const -> Edits {
    return parent(outer.index()).is(NodeKind::TaggedExpression) ? std::nullopt : behind(outer);
  }

  const hir::Function& function_;
  const syntax::Tree& tree_;
  std::string text_;
};

}  // namespace

auto tag_edits(const hir::Function& function, const syntax::Tree& tree, hir::ValueId value,
               uint32_t at, std::string_view name) -> Edits {
  return TagPlace(function, tree, name).find(value, at);
}

}  // namespace tacet::infer
