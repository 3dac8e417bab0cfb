#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "lsp/ide/refactor_selection.h"

namespace tacet::ide {

using names::Local;
using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// The local whose name the cursor is at.
auto local_at_cursor(const Selection& selection) -> uint32_t {
  for (uint32_t i = 0; i < selection.tree->nodes.size(); ++i) {
    const Node node = selection.node(i);
    if (node.is(NodeKind::Identifier) && node.range().contains(selection.range)) {
      return selection.local_at(i);
    }
  }
  return Local::kNone;
}

/// Where a local is used; none with `is_written` if something else than its value is.
struct Uses {
  std::vector<Node> places;
  bool is_written = false;
};

auto uses_of(const Selection& selection, uint32_t local) -> Uses {
  Uses uses;
  const uint32_t declared = selection.body->names.locals[local].node;
  for (uint32_t i = 0; i < selection.tree->nodes.size(); ++i) {
    if (i == declared || selection.local_at(i) != local) {
      continue;
    }
    const Node use = selection.node(i);
    for (Node above : path_up(selection, use)) {
      uses.is_written =
          uses.is_written || above.field() == Field::Target || above.is(NodeKind::Tags) ||
          above.is(NodeKind::AnnotationStatement) || above.is(NodeKind::EncodeStatement) ||
          above.is(NodeKind::Schedule) ||
          (above.is(NodeKind::UnaryExpression) && above.child(Field::Operator).is(NodeKind::Amp));
    }
    uses.places.push_back(use);
  }
  return uses;
}

/// Does all that the expression names keep its value, and mean the same at each of the places?
auto stays_the_same(const Selection& selection, Node expression, const std::vector<Node>& places)
    -> bool {
  return !has_node(expression, [&](Node node) {
    const uint32_t local = selection.local_at(node.index());
    if (local == Local::kNone) {
      return false;
    }
    const Local& data = selection.body->names.locals[local];
    if (data.kind == LocalKind::Var || data.kind == LocalKind::Encoded) {
      return true;
    }
    const bool is_own = data.node != Local::kNone && data.node >= expression.index() &&
                        data.node < expression.subtree_end();
    return !is_own && std::any_of(places.begin(), places.end(), [&](Node place) {
      // Another of that name may be in between.
      return std::any_of(selection.body->names.locals.begin(), selection.body->names.locals.end(),
                         [&](const Local& other) {
                           return other.name == data.name && other.node != data.node &&
                                  other.node != Local::kNone && other.node < place.index();
                         });
    });
  });
}

/// Is it computed at `use` exactly when `outermost` around that is? Loops may have no iteration.
auto is_always_computed(const Selection& selection, Node use, Node outermost) -> bool {
  const std::vector<Node> path = path_up(selection, use);
  for (size_t i = 0; i + 1 < path.size() && path[i] != outermost; ++i) {
    const Node above = path[i + 1];
    const bool is_loop = above.is(NodeKind::ForStatement) || above.is(NodeKind::WhileStatement) ||
                         above.is(NodeKind::DoStatement) || above.is(NodeKind::ForExpression);
    if (is_loop || is_conditional(above, path[i])) {
      return false;
    }
  }
  return true;
}

/// Is what `statement` computes not computed at all its uses whenever it is?
auto moves_faults(const Selection& selection, Node statement, const std::vector<Node>& uses)
    -> bool {
  const Node block = path_up(selection, statement)[1];
  return std::any_of(uses.begin(), uses.end(), [&](Node use) {
    if (!is_always_computed(selection, use, block)) {
      return true;
    }
    // What leaves in between leaves the rest to a condition.
    for (uint32_t i = statement.subtree_end(); i < use.index(); ++i) {
      const Node between = selection.node(i);
      const bool leaves = between.is(NodeKind::ReturnStatement) ||
                          between.is(NodeKind::BreakStatement) ||
                          between.is(NodeKind::ContinueStatement);
      if (leaves && between.subtree_end() <= use.index()) {
        return true;
      }
    }
    return false;
  });
}

/// The line of a statement with its line end, if nothing else is on it.
auto with_line(const Selection& selection, TextRange range) -> TextRange {
  const std::string& text = selection.tree->text;
  const uint32_t first = range.begin - static_cast<uint32_t>(indentation(text, range.begin).size());
  const size_t end = text.find_first_not_of(" \t\r", range.end);
  const bool is_alone =
      (first == 0 || text[first - 1] == '\n') && end != std::string::npos && text[end] == '\n';
  return is_alone ? TextRange{first, static_cast<uint32_t>(end + 1)} : range;
}

auto is_operand(const Selection& selection, Node use) -> bool {
  const std::vector<Node> path = path_up(selection, use);
  if (path.size() < 2) {
    return false;
  }
  if (path[1].is(NodeKind::IndexExpression)) {
    return use.field() == Field::Array;
  }
  // In the head of a `for` no `let … in` or `if` can stand.
  constexpr std::array kOperations = {NodeKind::BinaryExpression, NodeKind::UnaryExpression,
                                      NodeKind::CastExpression,   NodeKind::ConditionalExpression,
                                      NodeKind::FieldExpression,  NodeKind::RangeExpression,
                                      NodeKind::SliceExpression,  NodeKind::ForStatement};
  return std::find(kOperations.begin(), kOperations.end(), path[1].kind()) != kOperations.end();
}

auto only_binding(Node statement, NodeKind kind) -> Node {
  Node found;
  for (Node child : statement.children()) {
    if (child.is(kind)) {
      if (found) {
        return {};
      }
      found = child;
    }
  }
  return found;
}

/// Is the local named by tags elsewhere, as nodes of specifications are?
auto is_known_outside(const Selection& selection, const Local& local) -> bool {
  const std::string name(selection.snapshot->interner().text(local.name));
  for (const names::FileItem& item : selection.snapshot->items(selection.file)->items) {
    if (item.id == selection.item.id || item.kind == names::ItemKind::Feq) {
      continue;
    }
    const names::ItemTree tree = selection.snapshot->tree(item.id);
    if (tree->text.find("." + name) != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

void inline_variable(const Selection& selection, std::vector<Action>& actions) {
  if (!selection.is_device_function() && !selection.is_specification()) {
    return;
  }
  const uint32_t local = local_at_cursor(selection);
  if (local == Local::kNone) {
    return;
  }
  const Local& data = selection.body->names.locals[local];
  const bool is_node = data.kind == LocalKind::Definition;
  if ((data.kind != LocalKind::Let && !is_node) || data.declaration == Local::kNone) {
    return;
  }
  const Node statement = selection.node(data.declaration);
  const Node binding = only_binding(statement, is_node ? NodeKind::SpecBinding : NodeKind::Binding);
  const Node value = statement.child(Field::Value);
  const bool is_statement =
      statement.is(NodeKind::LetStatement) || statement.is(NodeKind::Definition);
  if (!binding || !is_statement || binding.child(Field::Tags) || value.is(NodeKind::Block) ||
      value.is(NodeKind::IfExpression) || !is_pure(selection, value)) {
    return;
  }
  // With a type written down, a number without one would take another.
  const bool is_typed =
      !binding.child(Field::Type) || selection.local_at(value.index()) != Local::kNone ||
      has_node(value, [&](Node node) { return selection.local_at(node.index()) != Local::kNone; });
  const Uses uses = uses_of(selection, local);
  // A node that is used twice is one node; writing it twice would make two of it.
  if (!is_typed || uses.places.empty() || uses.is_written || (is_node && uses.places.size() > 1) ||
      (is_node && is_known_outside(selection, data)) ||
      !stays_the_same(selection, value, uses.places)) {
    return;
  }
  if (selection.is_device_function() && may_fail(selection, value) &&
      moves_faults(selection, statement, uses.places)) {
    return;
  }
  // A public divisor that is declared secret hides that it is 0.
  if (selection.is_device_function() &&
      selection.body->type(binding.child(Field::Name)) != selection.body->type(value)) {
    return;
  }
  std::vector<TextEdit> edits = {selection.edit(with_line(selection, statement.range()), "")};
  for (Node use : uses.places) {
    std::string text(value.text());
    edits.push_back(selection.edit(
        use.range(), is_operand(selection, use) ? as_operand(value, std::move(text)) : text));
  }
  actions.push_back(
      make_action(Action::Kind::Inline,
                  fmt::format("inline `{}`", selection.snapshot->interner().text(data.name)),
                  std::move(edits)));
}

namespace {

/// What a function computes, if that is one expression.
auto only_result(Node function) -> Node {
  const Node block = function.child(Field::Body);
  Node result;
  for (Node child : block.children()) {
    if (child.is(NodeKind::LeftBrace) || child.is(NodeKind::RightBrace)) {
      continue;
    }
    if (result) {
      return {};
    }
    result = child.is(NodeKind::ReturnStatement) ? child.child(Field::Value) : child;
    if (!child.is(NodeKind::ReturnStatement) && child.field() != Field::Result) {
      return {};
    }
  }
  const bool is_value = result && !result.is(NodeKind::Block) &&
                        !result.is(NodeKind::IfExpression) && !result.is(NodeKind::TupleExpression);
  return is_value ? result : Node();
}

/// Is there an argument that may fail, and a parameter that the result does not always read?
auto moves_faults(const Selection& selection, const Selection& callee, Node result,
                  const std::map<uint32_t, Node>& arguments) -> bool {
  return std::any_of(arguments.begin(), arguments.end(), [&](const auto& each) {
    if (!may_fail(selection, each.second)) {
      return false;
    }
    bool is_read = false;
    bool is_moved = false;
    for (uint32_t i = result.index(); i < result.subtree_end(); ++i) {
      if (callee.local_at(i) == each.first) {
        is_read = true;
        is_moved = is_moved || !is_always_computed(callee, callee.node(i), result);
      }
    }
    return !is_read || is_moved;
  });
}

/// The callee's expression with arguments for parameters; nothing if names would mean others.
auto substituted(const Selection& callee, Node result, const std::map<uint32_t, Node>& arguments)
    -> std::string {
  std::string text;
  uint32_t done = result.range().begin;
  for (uint32_t i = result.index(); i < result.subtree_end(); ++i) {
    const Node node = callee.node(i);
    const uint32_t local = callee.local_at(i);
    if (local == Local::kNone || !node.is(NodeKind::Identifier)) {
      continue;
    }
    const auto argument = arguments.find(local);
    if (argument == arguments.end()) {
      const bool captures = std::any_of(arguments.begin(), arguments.end(), [&](const auto& each) {
        return has_node(each.second, [&](Node inner) { return inner.text() == node.text(); });
      });
      if (captures) {
        return {};
      }
      continue;
    }
    text += callee.tree->text.substr(done, node.range().begin - done);
    text += as_operand(argument->second, std::string(argument->second.text()));
    done = node.range().end;
  }
  return text + callee.tree->text.substr(done, result.range().end - done);
}

/// The call whose function is selected.
auto selected_call(const Selection& selection) -> Node {
  Node call;
  for (uint32_t i = 0; i < selection.tree->nodes.size(); ++i) {
    const Node node = selection.node(i);
    if (node.is(NodeKind::CallExpression) &&
        node.child(Field::Function).range().contains(selection.range)) {
      call = node;
    }
  }
  return call;
}

/// The function of the same file that is called; other files may see other names.
auto callee_of(const Selection& selection, Node call) -> std::optional<Selection> {
  const names::ItemId target =
      call ? selection.body->names.item(call.child(Field::Function).index()) : names::ItemId{};
  if (!target.has_value() || target == selection.item.id ||
      selection.snapshot->item_key(target).kind != names::ItemKind::Fn) {
    return std::nullopt;
  }
  const names::FileItem* item = selection.snapshot->items(selection.file)->find(target);
  if (item == nullptr) {
    return std::nullopt;
  }
  Selection callee = selection;
  callee.item = *item;
  callee.tree = selection.snapshot->tree(target);
  callee.body = selection.snapshot->body(target);
  return callee;
}

/// The arguments of a call by the callee's locals; nothing if they do not fit, or do more than to
/// give values.
auto pure_arguments(const Selection& selection, const Selection& callee, Node call)
    -> std::optional<std::map<uint32_t, Node>> {
  const auto signature = selection.snapshot->signature(callee.item.id);
  const std::vector<Local>& locals = callee.body->names.locals;
  std::map<uint32_t, Node> arguments;
  uint32_t n = 0;
  for (Node child : call.child(Field::Arguments).children()) {
    if (child.is(NodeKind::LeftParen) || child.is(NodeKind::RightParen) ||
        child.is(NodeKind::Comma)) {
      continue;
    }
    const auto parameter = std::find_if(locals.begin(), locals.end(), [&](const Local& local) {
      return local.kind == LocalKind::Parameter && local.ordinal == n;
    });
    const bool is_same = parameter != locals.end() && n < signature->parameters.size() &&
                         selection.body->type(child) == signature->parameters[n].type;
    if (!is_same || !is_pure(selection, child)) {
      return std::nullopt;
    }
    arguments[static_cast<uint32_t>(parameter - locals.begin())] = child;
    ++n;
  }
  return n == signature->parameters.size() ? std::optional(std::move(arguments)) : std::nullopt;
}

}  // namespace

void inline_call(const Selection& selection, std::vector<Action>& actions) {
  if (!selection.is_device_function()) {
    return;
  }
  const Node call = selected_call(selection);
  const std::optional<Selection> callee = callee_of(selection, call);
  const Node result = callee ? only_result(callee->root()) : Node();
  if (!result || callee->body == nullptr || !callee->tree->errors.empty() ||
      !is_pure(*callee, result)) {
    return;
  }
  const auto arguments = pure_arguments(selection, *callee, call);
  if (!arguments || callee->body->type(result) != selection.body->type(call) ||
      moves_faults(selection, *callee, result, *arguments)) {
    return;
  }
  std::string text = substituted(*callee, result, *arguments);
  if (text.empty() || text.find("//") != std::string::npos ||
      text.find("/*") != std::string::npos) {
    return;
  }
  actions.push_back(make_action(
      Action::Kind::Inline,
      fmt::format("inline the call of `{}`", call.child(Field::Function).text()),
      {selection.edit(call.range(),
                      is_operand(selection, call) ? as_operand(result, std::move(text)) : text)}));
}

}  // namespace tacet::ide
