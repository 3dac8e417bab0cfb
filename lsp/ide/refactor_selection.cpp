#include "lsp/ide/refactor_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "compiler/core/diagnostics/apply_edits.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/device/draws/elaborate.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/front/names/queries.h"
#include "linter/kernel_of_item.h"

namespace tacet::ide {

using names::ItemKind;
using syntax::ExpressionKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto Selection::is_device_function() const -> bool {
  return item.kind == ItemKind::Fn && static_cast<bool>(root().child(Field::Device));
}

auto Selection::is_specification() const -> bool {
  return item.kind == ItemKind::Val || item.kind == ItemKind::Tmln || item.kind == ItemKind::Sptl;
}

auto Selection::local_at(uint32_t node) const -> uint32_t {
  const names::Resolution meaning = body->names.of(node);
  return meaning.is(names::Meaning::Local) ? meaning.index() : names::Local::kNone;
}

auto Selection::type_text(types::TypeId type) const -> std::string {
  return types::type_text(snapshot->types(), snapshot->interner(), type);
}

auto Selection::is_value(types::TypeId type) const -> bool {
  return snapshot->types()[type].kind == types::TypeKind::Value;
}

auto Selection::fresh_name(std::string_view base) const -> std::string {
  std::set<std::string_view> taken;
  for (uint32_t i = 0; i < tree->nodes.size(); ++i) {
    if (tree->nodes[i].kind == NodeKind::Identifier) {
      taken.insert(node(i).text());
    }
  }
  const auto is_free = [&](const std::string& name) {
    bool is_known = taken.contains(name);
    for (uint32_t space = 0; space < names::kNamespaces; ++space) {
      is_known =
          is_known || snapshot->find(file, static_cast<names::Namespace>(space), name).has_value();
    }
    return !is_known;
  };
  std::string name(base);
  for (int i = 2; !is_free(name); ++i) {
    name = fmt::format("{}_{}", base, i);
  }
  return name;
}

/// Without white space at either end.
static auto trimmed(std::string_view text, TextRange range) -> TextRange {
  const auto is_blank = [&](uint32_t at) {
    return std::string_view(" \t\r\n").find(text[at]) != std::string_view::npos;
  };
  while (range.begin < range.end && is_blank(range.begin)) {
    ++range.begin;
  }
  while (range.begin < range.end && is_blank(range.end - 1)) {
    --range.end;
  }
  return range;
}

auto find_selections(const program::FrontendSnapshot& snapshot, FileId file, TextRange range)
    -> std::vector<Selection> {
  std::vector<Selection> found;
  const auto syntax = snapshot.get<syntax::ParseFile>(file);
  if (syntax->units.empty()) {
    return found;
  }
  const std::string& text = *snapshot.get<syntax::SourceText>(file).text;
  range.end = std::min(range.end, static_cast<uint32_t>(text.size()));
  range.begin = std::min(range.begin, range.end);
  range = range.is_empty() ? range : trimmed(text, range);
  const auto unit = static_cast<uint32_t>(syntax->unit_at(range.begin));
  for (const names::FileItem& item : snapshot.items(file)->items) {
    if (item.unit != unit) {
      continue;
    }
    Selection selection;
    selection.snapshot = &snapshot;
    selection.file = file;
    selection.item = item;
    selection.tree = snapshot.tree(item.id);
    selection.begin = snapshot.item_begin(item.id);
    const Node root = selection.root();
    if (!root || !selection.tree->errors.empty() ||
        !root.range().shifted(selection.begin).contains(range)) {
      continue;
    }
    selection.range = {range.begin - selection.begin, range.end - selection.begin};
    selection.body = snapshot.body(item.id);
    if (selection.body != nullptr) {
      found.push_back(std::move(selection));
    }
  }
  return found;
}

auto draws(const Selection& selection) -> bool {
  return draws::Elaborator(*selection.snapshot).uses_randomness(selection.item.id);
}

auto path_up(const Selection& selection, Node node) -> std::vector<Node> {
  std::vector<Node> path;
  for (uint32_t i = node.index() + 1; i-- > 0;) {
    const Node above = selection.node(i);
    if (above.subtree_end() >= node.subtree_end()) {
      path.push_back(above);
    }
  }
  return path;
}

static auto is_expression(NodeKind kind) -> bool {
  switch (syntax::expression_kind(kind)) {
    case ExpressionKind::Array:
    case ExpressionKind::Binary:
    case ExpressionKind::Boolean:
    case ExpressionKind::Call:
    case ExpressionKind::Cast:
    case ExpressionKind::Conditional:
    case ExpressionKind::Float:
    case ExpressionKind::For:
    case ExpressionKind::Index:
    case ExpressionKind::Slice:
    case ExpressionKind::Integer:
    case ExpressionKind::Let:
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Unary:
      return true;
    case ExpressionKind::None:
    case ExpressionKind::Await:
    case ExpressionKind::Dim:
    case ExpressionKind::EncodeBegin:
    case ExpressionKind::Field:
    case ExpressionKind::Hole:
    case ExpressionKind::Identifier:
    case ExpressionKind::If:
    case ExpressionKind::Path:
    case ExpressionKind::Range:
    case ExpressionKind::StatementHole:
    case ExpressionKind::String:
    case ExpressionKind::Submit:
    case ExpressionKind::Tagged:
    case ExpressionKind::Tuple:
      break;
  }
  return false;
}

auto selected_expression(const Selection& selection) -> Node {
  if (selection.range.is_empty()) {
    return {};
  }
  for (uint32_t i = 0; i < selection.tree->nodes.size(); ++i) {
    const syntax::NodeData& data = selection.tree->nodes[i];
    if (data.begin == selection.range.begin && data.end == selection.range.end &&
        is_expression(data.kind)) {
      return selection.is_value(selection.body->type(i)) ? selection.node(i) : Node();
    }
  }
  return {};
}

auto has_node(Node node, const std::function<bool(Node)>& is_it) -> bool {
  for (uint32_t i = node.index(); i < node.subtree_end(); ++i) {
    if (is_it({node.tree(), i})) {
      return true;
    }
  }
  return false;
}

/// May a call of the function fail, where no secret decides whether it is called? What is not known
/// may. Arguments outside of the bounds of parameters are faults, too.
static auto may_call_fail(const Selection& selection, names::ItemId function) -> bool {
  const kernel::Lowering lowering = selection.snapshot->query().run(
      [&](query::Context& context) { return linter::lowering_of_item(context, function); });
  if (!lowering.kernel || !lowering.arguments.empty()) {
    return true;
  }
  const kernel::Kernel& kernel = *lowering.kernel;
  const kernel::Effects effects = kernel::effects_of(kernel, kernel.body);
  return effects.can_fault || effects.may_not_end || effects.calls || effects.reveals ||
         std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                     [&](kernel::VariableId parameter) {
                       return kernel.variables[parameter].bound.has_value();
                     });
}

auto may_fail(const Selection& selection, Node expression) -> bool {
  return has_node(expression, [&](Node node) {
    if (node.is(NodeKind::CallExpression)) {
      const names::ItemId function =
          selection.body->names.item(node.child(Field::Function).index());
      return function.has_value() && may_call_fail(selection, function);
    }
    return node.field() == Field::Operator &&
           (node.is(NodeKind::Slash) || node.is(NodeKind::Percent) || node.is(NodeKind::LessLess) ||
            node.is(NodeKind::GreaterGreater) || node.is(NodeKind::GreaterGreaterGreater));
  });
}

auto is_conditional(Node above, Node towards) -> bool {
  if (above.is(NodeKind::ConditionalExpression) || above.is(NodeKind::IfExpression)) {
    return towards.field() != Field::Condition;
  }
  const Node op = above.child(Field::Operator);
  return above.is(NodeKind::BinaryExpression) && towards.field() == Field::Right &&
         (op.is(NodeKind::AmpAmp) || op.is(NodeKind::PipePipe));
}

/// The number of the argument that a builtin function wants as a constant; nothing of most.
static auto constant_argument(names::Builtin builtin) -> std::optional<size_t> {
  if (builtin == names::Builtin::Reduce || builtin == names::Builtin::TopK) {
    return 1;
  }
  return builtin == names::Builtin::RandPermutation ? std::optional<size_t>(0) : std::nullopt;
}

auto is_constant_argument(const Selection& selection, const std::vector<Node>& path, size_t at)
    -> bool {
  if (at + 2 >= path.size() || !path[at + 1].is(NodeKind::Arguments)) {
    return false;
  }
  const Node function = path[at + 2].child(Field::Function);
  const names::Resolution meaning =
      function ? selection.body->names.of(function.index()) : names::Resolution();
  const std::optional<size_t> wanted =
      meaning.is(names::Meaning::Builtin)
          ? constant_argument(static_cast<names::Builtin>(meaning.index()))
          : std::nullopt;
  size_t number = 0;
  for (Node child : path[at + 1].children()) {
    if (child == path[at]) {
      return wanted == number;
    }
    number += child.is(NodeKind::Comma) ? 1 : 0;
  }
  return false;
}

auto is_pure(const Selection& selection, Node expression) -> bool {
  static constexpr std::array kEffects = {NodeKind::Hole,
                                          NodeKind::StatementHole,
                                          NodeKind::AwaitExpression,
                                          NodeKind::SubmitExpression,
                                          NodeKind::EncodeBeginExpression,
                                          NodeKind::TaggedExpression,
                                          NodeKind::Tags,
                                          NodeKind::Receiver,
                                          NodeKind::Amp};
  return !has_node(expression, [&](Node node) {
    if (std::find(kEffects.begin(), kEffects.end(), node.kind()) != kEffects.end()) {
      return true;
    }
    const names::Resolution meaning = selection.body->names.of(node.index());
    return meaning.is(names::Meaning::Builtin) &&
           (node.text() == "reveal" ||
            names::is_random_draw(static_cast<names::Builtin>(meaning.index())));
  });
}

auto as_operand(Node expression, std::string text) -> std::string {
  static constexpr std::array kOperands = {
      NodeKind::ArrayExpression, NodeKind::Boolean,
      NodeKind::CallExpression,  NodeKind::Float,
      NodeKind::Identifier,      NodeKind::IndexExpression,
      NodeKind::Integer,         NodeKind::ParenthesizedExpression};
  const bool is_operand =
      std::find(kOperands.begin(), kOperands.end(), expression.kind()) != kOperands.end();
  return is_operand ? text : "(" + std::move(text) + ")";
}

static auto line_begin(std::string_view text, uint32_t offset) -> uint32_t {
  const size_t end = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  return end == std::string_view::npos ? 0 : static_cast<uint32_t>(end + 1);
}

auto indentation(std::string_view text, uint32_t offset) -> std::string {
  const uint32_t begin = line_begin(text, offset);
  uint32_t end = begin;
  while (end < offset && (text[end] == ' ' || text[end] == '\t')) {
    ++end;
  }
  return std::string(text.substr(begin, end - begin));
}

auto line_before(const Selection& selection, uint32_t offset, const std::string& line) -> TextEdit {
  const std::string& text = selection.tree->text;
  const std::string blanks = indentation(text, offset);
  const bool is_first = line_begin(text, offset) + blanks.size() == offset;
  return selection.edit({offset, offset}, is_first ? line + "\n" + blanks : line + " ");
}

auto make_action(Action::Kind kind, std::string title, std::vector<TextEdit> edits,
                 std::string new_name) -> Action {
  Action action;
  action.kind = kind;
  action.title = std::move(title);
  action.edits = sorted_edits(std::move(edits));
  action.new_name = std::move(new_name);
  return action;
}

}  // namespace tacet::ide
