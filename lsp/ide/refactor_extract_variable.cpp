#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "lsp/ide/refactor_selection.h"

namespace tacet::ide {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// The names that a node on the path to an expression binds for it.
auto binds(Node above, Node towards, std::string_view name) -> bool {
  if (above.is(NodeKind::ForExpression)) {
    const auto variables = above.children(Field::Variable);
    return towards.field() == Field::Body &&
           std::any_of(variables.begin(), variables.end(),
                       [&](Node variable) { return variable.text() == name; });
  }
  if (!above.is(NodeKind::LetExpression) || towards.field() != Field::Body) {
    return false;
  }
  for (Node child : above.children()) {
    if (child.is(NodeKind::Binding) && child.child(Field::Name).text() == name) {
      return true;
    }
  }
  return false;
}

/// Is what is there computed again in each iteration of a loop, or something else than a value?
auto is_no_place(Node above, Node towards) -> bool {
  const Field field = towards.field();
  if (above.is(NodeKind::WhileStatement) || above.is(NodeKind::DoStatement)) {
    return field == Field::Condition || field == Field::Max;
  }
  if (above.is(NodeKind::AssignmentStatement)) {
    return field == Field::Target;
  }
  if (above.is(NodeKind::ForExpression)) {  // an extent is a constant or an array
    return field == Field::Extent;
  }
  constexpr std::array kNoValues = {
      NodeKind::TaggedExpression, NodeKind::EncodeStatement, NodeKind::Tags,
      NodeKind::Schedule,         NodeKind::ArrayType,       NodeKind::Bound,
      NodeKind::TemplateArguments};
  return std::find(kNoValues.begin(), kNoValues.end(), above.kind()) != kNoValues.end();
}

/// The statement that computes the expression; null if it cannot be computed in front of it.
auto statement_around(const Selection& selection, Node expression) -> Node {
  const std::vector<Node> path = path_up(selection, expression);
  const bool fails = may_fail(selection, expression);
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    const Node towards = path[i];
    const Node above = path[i + 1];
    if (above.is(NodeKind::Block) || above.is(NodeKind::SpecBlock)) {
      return towards;
    }
    const bool is_bound = has_node(expression, [&](Node node) {
      return node.is(NodeKind::Identifier) && binds(above, towards, node.text());
    });
    const bool is_repeated =
        above.is(NodeKind::ForExpression) && towards.field() == Field::Body && fails;
    if (is_bound || is_no_place(above, towards) || is_constant_argument(selection, path, i) ||
        (fails && is_conditional(above, towards)) || is_repeated) {
      return {};
    }
  }
  return {};
}

/// Does its type come from what is around it?
auto is_untyped(const Selection& selection, Node expression) -> bool {
  return !has_node(expression, [&](Node node) {
    const names::Resolution meaning = selection.body->names.of(node.index());
    return meaning.is(names::Meaning::Local) || meaning.is(names::Meaning::Item);
  });
}

}  // namespace

void extract_variable(const Selection& selection, std::vector<Action>& actions) {
  const Node expression = selected_expression(selection);
  const bool has_statements =
      selection.item.kind == names::ItemKind::Fn || selection.is_specification();
  if (!expression || !has_statements || !is_pure(selection, expression)) {
    return;
  }
  const Node statement = statement_around(selection, expression);
  if (!statement ||
      (statement.is(NodeKind::LetStatement) && statement.child(Field::Value) == expression)) {
    return;
  }
  const std::string name = selection.fresh_name("value");
  const std::string type = is_untyped(selection, expression)
                               ? ": " + selection.type_text(selection.body->type(expression))
                               : std::string();
  Node value = expression;
  while (value.is(NodeKind::ParenthesizedExpression)) {
    value = value.child(Field::Value);
  }
  const bool is_node = selection.is_specification();
  const std::string line = fmt::format("{}{}{} {} {}{}", is_node ? "" : "let ", name, type,
                                       is_node ? ":-" : "=", value.text(), is_node ? "" : ";");
  actions.push_back(
      make_action(Action::Kind::Extract,
                  fmt::format("extract into a {}", is_node ? "specification node" : "variable"),
                  {line_before(selection, statement.range().begin, line),
                   selection.edit(expression.range(), name)},
                  name));
}

}  // namespace tacet::ide
