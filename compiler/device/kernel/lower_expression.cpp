#include <algorithm>

#include "compiler/core/syntax/block_tail.h"
#include "compiler/core/syntax/concatenation.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/device/kernel/lowering.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/front/types/operation.h"
#include "compiler/front/types/operator_scheme.h"
#include "engine/program/common/element_text.h"

namespace tacet::kernel {

using names::Meaning;
using syntax::ExpressionKind;
using types::TypeId;

static auto name(FunctionLowering& lowering, Node node) -> ExprId;
static auto unary(FunctionLowering& lowering, Node node) -> ExprId;
static auto binary(FunctionLowering& lowering, Node node) -> ExprId;
static auto choice(FunctionLowering& lowering, Node node) -> Exprs;
static auto array_literal(FunctionLowering& lowering, Node node) -> ExprId;

auto nothing(FunctionLowering& lowering, Node node) -> ExprId {
  const std::optional<Type> type = type_of(lowering, type_id(lowering, node));
  return lowering.build.zero(type ? *type : Type{engine::kI64, {}});
}

auto parts_of(const FunctionLowering& lowering, Node node) -> std::vector<TypeId> {
  const TypeId type = type_id(lowering, syntax::bare(node));
  const bool has_none = type == types::TypeStore::kError || type == types::TypeStore::kUnit;
  return has_none ? std::vector<TypeId>{} : types::column_types(types(lowering), type);
}

/// What kernels do not have, for a message.
static auto what_it_is(syntax::Node node) -> std::string_view {
  using syntax::NodeKind;
  const bool is_hole = node.is(NodeKind::Hole) || node.is(NodeKind::StatementHole);
  return is_hole                              ? "a hole"
         : node.is(NodeKind::FieldExpression) ? "a record"
         : node.is(NodeKind::String)          ? "a string"
                                              : "this expression";
}

/// Could it be a tuple without being written as one?
static auto may_have_parts(syntax::Node node) -> bool {
  using syntax::NodeKind;
  return node.is(NodeKind::ConditionalExpression) || node.is(NodeKind::IfExpression) ||
         node.is(NodeKind::Block) || node.is(NodeKind::LetExpression) ||
         node.is(NodeKind::CallExpression) || node.is(NodeKind::FieldExpression) ||
         node.is(NodeKind::SliceExpression) || node.is(NodeKind::ForExpression) ||
         node.is(NodeKind::IndexExpression) || syntax::is_concatenation(node);
}

auto value(FunctionLowering& lowering, Node node) -> ExprId {
  node = syntax::bare(node);
  lowering.build.set_place(place_of(lowering, node));
  if (may_have_parts(node)) {
    const Exprs all = values(lowering, node);
    if (all.size() == 1) {
      return all[0];
    }
    type_at(lowering, node);
    return nothing(lowering, node);
  }
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier:
      return name(lowering, node);
    case ExpressionKind::Integer:
    case ExpressionKind::Float:
    case ExpressionKind::Boolean: {
      const engine::ElementType type = type_at(lowering, node).element;
      return lowering.build.literal(type, engine::literal_cell(type, node.text()));
    }
    case ExpressionKind::Unary:
      return unary(lowering, node);
    case ExpressionKind::Binary:
      return binary(lowering, node);
    case ExpressionKind::Cast:
      return value_as(lowering, node.child(Field::Value), type_id(lowering, node));
    case ExpressionKind::Array:
      return check::range_in(node) ? range_array(lowering, node) : array_literal(lowering, node);
    case ExpressionKind::Slice:
    case ExpressionKind::For:
    case ExpressionKind::Index:
    case ExpressionKind::Conditional:
    case ExpressionKind::If:
    case ExpressionKind::Let:
    case ExpressionKind::Call:
    case ExpressionKind::Field:
      break;  // above
    case ExpressionKind::Hole:
    case ExpressionKind::StatementHole:
    case ExpressionKind::String:
    case ExpressionKind::None:
    case ExpressionKind::Tuple:
    case ExpressionKind::Path:
    case ExpressionKind::Dim:
    case ExpressionKind::Range:
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Tagged:
    case ExpressionKind::EncodeBegin:
    case ExpressionKind::Submit:
    case ExpressionKind::Await:
      problem(lowering, node, what_it_is(node));
      break;
  }
  return nothing(lowering, node);
}

auto value_as(FunctionLowering& lowering, Node node, TypeId type) -> ExprId {
  const ExprId given = value(lowering, node);
  lowering.build.set_place(place_of(lowering, syntax::bare(node)));
  return lowering.build.cast(given, type_at(lowering, node, type).element);
}

auto values(FunctionLowering& lowering, Node node) -> Exprs {
  node = syntax::bare(node);
  if (node.is(NodeKind::TupleExpression)) {
    Operands operands(lowering);
    for (Node element : node.children(Field::Element)) {
      operands.add_all([&] { return values(lowering, element); });
    }
    return operands.take();
  }
  if (node.is(NodeKind::CallExpression)) {
    return call(lowering, node);
  }
  if (node.is(NodeKind::ConditionalExpression) || node.is(NodeKind::IfExpression)) {
    return choice(lowering, node);
  }
  if (node.is(NodeKind::Block)) {
    return block_values(lowering, node);
  }
  if (node.is(NodeKind::LetExpression)) {
    bind_names(lowering, node, node.child(Field::Value));
    return values(lowering, node.child(Field::Body));
  }
  if (may_have_parts(node) || is_of_columns(lowering, node)) {
    return column_values(lowering, node);
  }
  return {value(lowering, node)};
}

auto values_as(FunctionLowering& lowering, Node node, TypeId type) -> Exprs {
  const Exprs all = values(lowering, node);
  lowering.build.set_place(place_of(lowering, syntax::bare(node)));
  if (all.empty() || type == types::TypeStore::kError || type == types::TypeStore::kUnit) {
    return all;
  }
  return converted(lowering, node, all, type_id(lowering, syntax::bare(node)), type);
}

static auto name(FunctionLowering& lowering, Node node) -> ExprId {
  const names::Resolution meaning = frame(lowering).body->names.of(node.index());
  if (meaning.is(Meaning::Local)) {
    const Held& held = frame(lowering).locals[meaning.index()];
    if (held.size() == 1) {
      const auto* variable = std::get_if<VariableId>(&held.front());
      return variable != nullptr ? lowering.build.read(*variable) : std::get<ExprId>(held.front());
    }
  }
  const names::ItemId item = frame(lowering).body->names.item(node.index());
  if (!item.has_value() || lowering.snapshot.item_key(item).kind != names::ItemKind::Const) {
    problem(lowering, node, "the use of this name as a value");
    return nothing(lowering, node);
  }
  const TypeId wanted = type_id(lowering, node);
  lowering.frames.push_back(std::make_unique<Frame>(frame_of(lowering, item)));
  const ExprId constant =
      value_as(lowering, names::item_node(*frame(lowering).tree).child(Field::Value), wanted);
  lowering.frames.pop_back();
  return constant;
}

static auto unary(FunctionLowering& lowering, Node node) -> ExprId {
  types::Operator op{};
  if (!types::find_operator(node.child(Field::Operator).kind(), 1, op)) {
    problem(lowering, node, "a reference");
    return nothing(lowering, node);
  }
  const ExprId operand = value(lowering, node.child(Field::Operand));
  lowering.build.set_place(place_of(lowering, node));
  if (const auto* literal = std::get_if<Literal>(&lowering.kernel.exprs[operand].node)) {
    const engine::ElementType type = lowering.build.type(operand).element;
    return lowering.build.literal(
        type, engine::evaluate(types::unary_operation(op), type, literal->cell));
  }
  return lowering.build.unary(op, operand);
}

static auto binary(FunctionLowering& lowering, Node node) -> ExprId {
  types::Operator op{};
  if (!types::find_operator(node.child(Field::Operator).kind(), 2, op)) {
    problem(lowering, node, "this operator");
    return nothing(lowering, node);
  }
  const Node left = node.child(Field::Left);
  const Node right = node.child(Field::Right);
  Operands operands(lowering);
  operands.add([&] { return value(lowering, left); });
  operands.add([&] { return value(lowering, right); });
  // An integer beside a fixed-point number becomes one.
  const engine::ElementType of_right = lowering.build.type(operands[1]).element;
  const engine::ElementType type = of_right.kind == engine::ElementKind::Fxp
                                       ? of_right
                                       : lowering.build.type(operands[0]).element;
  lowering.build.set_place(place_of(lowering, syntax::bare(left)));
  const ExprId first = lowering.build.cast(operands[0], type);
  lowering.build.set_place(place_of(lowering, syntax::bare(right)));
  const ExprId second = lowering.build.cast(operands[1], type);
  lowering.build.set_place(place_of(lowering, node));
  const ExprId result = lowering.build.binary(op, first, second);
  if (can_fault(op) && hides_faults(lowering, node, right)) {
    std::get<Binary>(lowering.kernel.exprs[result].node).is_total = true;
  }
  return result;
}

/// An `if` that yields values is a statement in front, and a choice between expressions too if
/// one of them needs statements.
static auto choice(FunctionLowering& lowering, Node node) -> Exprs {
  const TypeId type = type_id(lowering, node);
  const Node alternative = node.child(Field::Alternative);
  if (!alternative) {
    if (node.is(NodeKind::IfExpression)) {
      statement(lowering, node);
    } else {
      problem(lowering, node, "a conditional expression without `else`");
    }
    return {};
  }
  const ExprId condition = value(lowering, node.child(Field::Condition));
  const uint64_t n_emitted = lowering.n_emitted;
  open(lowering);
  const Exprs first = values_as(lowering, node.child(Field::Consequence), type);
  open(lowering);
  const Exprs second = values_as(lowering, alternative, type);
  lowering.build.set_place(place_of(lowering, node));
  if (node.is(NodeKind::ConditionalExpression) && lowering.n_emitted == n_emitted &&
      first.size() == 1 && second.size() == 1) {
    close(lowering);
    close(lowering);
    return {lowering.build.select(condition, first[0], second[0], Obliviousness::MayBranch)};
  }
  std::vector<VariableId> chosen;
  for (const ExprId value : first) {
    chosen.push_back(lowering.build.mutable_variable("chosen", lowering.build.type(value)));
  }
  auto finish = [&](const Exprs& values) {
    for (size_t i = 0; i < values.size() && i < chosen.size(); ++i) {
      emit(lowering, Assign{chosen[i], values[i]});
    }
    return close(lowering);
  };
  Block otherwise = finish(second);
  Block then = finish(first);
  lowering.build.set_place(place_of(lowering, node));
  emit(lowering, If{condition, std::move(then), std::move(otherwise)});
  if (frame(lowering).is_inlined && frame(lowering).loops.empty() && contains_return(node)) {
    If guard{lowering.build.negation(lowering.build.read(frame(lowering).has_returned)), {}, {}};
    open_guard(lowering, std::move(guard), true, place_of(lowering, node));
  }
  Exprs result;
  for (const VariableId variable : chosen) {
    result.push_back(lowering.build.read(variable));
  }
  return result;
}

auto block_values(FunctionLowering& lowering, Node node) -> Exprs {
  Node last = syntax::tail_of(node);
  if (last && parts_of(lowering, last).empty()) {
    last = Node();
  }
  for (Node child : node.children()) {
    if (syntax::is_named(child.kind()) && !(last && child == last)) {
      statement(lowering, child);
    }
  }
  return last ? values_as(lowering, last, type_id(lowering, node)) : Exprs{};
}

static auto array_literal(FunctionLowering& lowering, Node node) -> ExprId {
  Operands operands(lowering);
  for (Node element : node.children(Field::Element)) {
    operands.add([&] { return value(lowering, element); });
  }
  Exprs elements = operands.take();
  lowering.build.set_place(place_of(lowering, node));
  return elements.empty() ? lowering.build.zero(type_at(lowering, node))
                          : lowering.build.array(std::move(elements));
}

}  // namespace tacet::kernel
