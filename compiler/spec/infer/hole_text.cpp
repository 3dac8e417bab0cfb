#include "compiler/spec/infer/hole_text.h"

#include "compiler/core/syntax/kind_groups.h"
#include "compiler/front/types/operator_scheme.h"
#include "compiler/spec/infer/synthesis.h"

namespace tacet::infer {

using syntax::ExpressionKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

auto parent_of(Node node) -> Node {
  for (uint32_t i = node.index(); i-- > 0;) {
    Node outer(node.tree(), i);
    if (outer.subtree_end() > node.index()) {
      return outer;
    }
  }
  return {};
}

}  // namespace

auto precedence_around(Node hole) -> int {
  Node parent = parent_of(hole);
  types::Operator op{};
  switch (syntax::expression_kind(parent.kind())) {
    case ExpressionKind::Binary:
      return types::find_operator(parent.child(Field::Operator).kind(), 2, op)
                 ? precedence_of(op) + (hole.field() == Field::Right ? 1 : 0)
                 : kAtomPrecedence;
    case ExpressionKind::Conditional:
      return hole.field() == Field::Alternative ? kConditionalPrecedence
                                                : kConditionalPrecedence + 1;
    case ExpressionKind::Unary:
    case ExpressionKind::Cast:
    case ExpressionKind::Field:
    case ExpressionKind::Tagged:
    case ExpressionKind::Submit:
    case ExpressionKind::Await:
      return kAtomPrecedence;
    case ExpressionKind::Index:
    case ExpressionKind::Slice:
      return hole.field() == Field::Array ? kAtomPrecedence : kAnyPrecedence;
    case ExpressionKind::None:
      return parent.is(NodeKind::TemplateArguments) ? precedence_of(types::Operator::Add)
                                                    : kAnyPrecedence;
    case ExpressionKind::Array:
    case ExpressionKind::Boolean:
    case ExpressionKind::Call:
    case ExpressionKind::Dim:
    case ExpressionKind::EncodeBegin:
    case ExpressionKind::Float:
    case ExpressionKind::For:
    case ExpressionKind::Hole:
    case ExpressionKind::Identifier:
    case ExpressionKind::If:
    case ExpressionKind::Integer:
    case ExpressionKind::Let:
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Path:
    case ExpressionKind::Range:
    case ExpressionKind::StatementHole:
    case ExpressionKind::String:
    case ExpressionKind::Tuple:
      return kAnyPrecedence;
  }
  return kAnyPrecedence;
}

auto indent_at(Node hole) -> std::string {
  const std::string_view text = hole.tree()->text;
  const size_t line = text.rfind('\n', hole.range().begin);
  const size_t begin = line == std::string_view::npos ? 0 : line + 1;
  const size_t end = text.find_first_not_of(" \t", begin);
  const bool is_alone = end == hole.range().begin;
  return std::string(text.substr(begin, end - begin)) + (is_alone ? "" : "    ");
}

auto with_space_behind(Node hole) -> TextRange {
  const size_t end = hole.tree()->text.find_first_not_of(" \t\r\n", hole.range().end);
  return {hole.range().begin, static_cast<uint32_t>(end)};
}

auto trimmed(const std::string& lines) -> std::string {
  const size_t begin = lines.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : lines.substr(begin, lines.size() - begin - 1);
}

}  // namespace tacet::infer
