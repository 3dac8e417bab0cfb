#include <algorithm>

#include "compiler/core/syntax/kind_groups.h"
#include "compiler/device/kernel/lowering.h"
#include "compiler/device/kernel/walk.h"
#include "compiler/front/types/operation.h"
#include "compiler/front/types/operator_scheme.h"
#include "engine/program/common/element_text.h"

namespace tacet::kernel {

using names::Meaning;
using syntax::ExpressionKind;
using types::TypeId;

auto FunctionLowering::nothing(Node node) -> ExprId {
  const std::optional<Type> type = type_of(type_id(node));
  return build_.zero(type ? *type : Type{engine::kI64, {}});
}

auto FunctionLowering::parts_of(Node node) const -> std::vector<TypeId> {
  const TypeId type = type_id(syntax::bare(node));
  if (types()[type].kind == types::TypeKind::Tuple) {
    return types().members(types()[type].members);
  }
  return type == types::TypeStore::kError ? std::vector<TypeId>{} : std::vector<TypeId>{type};
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
         node.is(NodeKind::CallExpression);
}

auto FunctionLowering::value(Node node) -> ExprId {
  node = syntax::bare(node);
  build_.set_place(place(node));
  if (may_have_parts(node)) {
    const Exprs all = values(node);
    if (all.size() == 1) {
      return all[0];
    }
    type_at(node);
    return nothing(node);
  }
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier:
      return name(node);
    case ExpressionKind::Integer:
    case ExpressionKind::Float:
    case ExpressionKind::Boolean: {
      const engine::ElementType type = type_at(node).element;
      return build_.literal(type, engine::literal_cell(type, node.text()));
    }
    case ExpressionKind::Unary:
      return unary(node);
    case ExpressionKind::Binary:
      return binary(node);
    case ExpressionKind::Cast:
      return value_as(node.child(Field::Value), type_id(node));
    case ExpressionKind::Array:
      return array_literal(node);
    case ExpressionKind::For:
      return for_value(node);
    case ExpressionKind::Index:
      return index(node);
    case ExpressionKind::Conditional:
    case ExpressionKind::If:
    case ExpressionKind::Let:
    case ExpressionKind::Call:
      break;  // above
    case ExpressionKind::Field:
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
      problem(node, what_it_is(node));
      break;
  }
  return nothing(node);
}

auto FunctionLowering::value_as(Node node, TypeId type) -> ExprId {
  const ExprId given = value(node);
  build_.set_place(place(syntax::bare(node)));
  return build_.cast(given, type_at(node, type).element);
}

auto FunctionLowering::values(Node node) -> Exprs {
  node = syntax::bare(node);
  if (node.is(NodeKind::TupleExpression)) {
    Operands operands(*this);
    for (Node element : node.children(Field::Element)) {
      operands.add([&] { return value(element); });
    }
    return operands.take();
  }
  if (node.is(NodeKind::CallExpression)) {
    return call(node);
  }
  if (node.is(NodeKind::ConditionalExpression) || node.is(NodeKind::IfExpression)) {
    return choice(node);
  }
  if (node.is(NodeKind::Block)) {
    return block_values(node);
  }
  if (node.is(NodeKind::LetExpression)) {
    bind(node, node.child(Field::Value));
    return values(node.child(Field::Body));
  }
  return {value(node)};
}

auto FunctionLowering::values_as(Node node, const std::vector<TypeId>& types) -> Exprs {
  Exprs all = values(node);
  build_.set_place(place(syntax::bare(node)));
  for (size_t i = 0; i < all.size() && i < types.size(); ++i) {
    all[i] = build_.cast(all[i], type_at(node, types[i]).element);
  }
  return all;
}

auto FunctionLowering::name(Node node) -> ExprId {
  const names::Resolution meaning = frame().body->names.of(node.index());
  if (meaning.is(Meaning::Local)) {
    const Held& held = frame().locals[meaning.index()];
    if (const auto* variable = std::get_if<VariableId>(&held)) {
      return build_.read(*variable);
    }
    if (const auto* expr = std::get_if<ExprId>(&held)) {
      return *expr;
    }
  }
  const names::ItemId item = frame().body->names.item(node.index());
  if (!item.has_value() || snapshot_.item_key(item).kind != names::ItemKind::Const) {
    problem(node, "the use of this name as a value");
    return nothing(node);
  }
  const TypeId wanted = type_id(node);
  frames_.push_back(std::make_unique<Frame>(frame_of(item)));
  const ExprId constant = value_as(names::item_node(*frame().tree).child(Field::Value), wanted);
  frames_.pop_back();
  return constant;
}

auto FunctionLowering::unary(Node node) -> ExprId {
  types::Operator op{};
  if (!types::find_operator(node.child(Field::Operator).kind(), 1, op)) {
    problem(node, "a reference");
    return nothing(node);
  }
  const ExprId operand = value(node.child(Field::Operand));
  build_.set_place(place(node));
  if (const auto* literal = std::get_if<Literal>(&kernel_.exprs[operand].node)) {
    const engine::ElementType type = build_.type(operand).element;
    return build_.literal(type, engine::evaluate(types::unary_operation(op), type, literal->cell));
  }
  return build_.unary(op, operand);
}

auto FunctionLowering::binary(Node node) -> ExprId {
  types::Operator op{};
  if (!types::find_operator(node.child(Field::Operator).kind(), 2, op)) {
    problem(node, "this operator");
    return nothing(node);
  }
  const Node left = node.child(Field::Left);
  const Node right = node.child(Field::Right);
  Operands operands(*this);
  operands.add([&] { return value(left); });
  operands.add([&] { return value(right); });
  // An integer beside a fixed-point number becomes one.
  const engine::ElementType of_right = build_.type(operands[1]).element;
  const engine::ElementType type =
      of_right.kind == engine::ElementKind::Fxp ? of_right : build_.type(operands[0]).element;
  build_.set_place(place(syntax::bare(left)));
  const ExprId first = build_.cast(operands[0], type);
  build_.set_place(place(syntax::bare(right)));
  const ExprId second = build_.cast(operands[1], type);
  build_.set_place(place(node));
  const ExprId result = build_.binary(op, first, second);
  if (can_fault(op) && hides_faults(node, right)) {
    std::get<Binary>(kernel_.exprs[result].node).is_total = true;
  }
  return result;
}

/// An `if` that yields values is a statement in front, and a choice between expressions too if
/// one of them needs statements.
auto FunctionLowering::choice(Node node) -> Exprs {
  const std::vector<TypeId> parts = parts_of(node);
  const Node alternative = node.child(Field::Alternative);
  if (!alternative) {
    if (node.is(NodeKind::IfExpression)) {
      statement(node);
    } else {
      problem(node, "a conditional expression without `else`");
    }
    return {};
  }
  const ExprId condition = value(node.child(Field::Condition));
  const uint64_t n_emitted = n_emitted_;
  open();
  const Exprs first = values_as(node.child(Field::Consequence), parts);
  open();
  const Exprs second = values_as(alternative, parts);
  build_.set_place(place(node));
  if (node.is(NodeKind::ConditionalExpression) && n_emitted_ == n_emitted && first.size() == 1 &&
      second.size() == 1) {
    close();
    close();
    return {build_.select(condition, first[0], second[0], Obliviousness::MayBranch)};
  }
  std::vector<VariableId> chosen;
  for (const ExprId value : first) {
    chosen.push_back(build_.mutable_variable("chosen", build_.type(value)));
  }
  auto finish = [&](const Exprs& values) {
    for (size_t i = 0; i < values.size() && i < chosen.size(); ++i) {
      emit(Assign{chosen[i], values[i]});
    }
    return close();
  };
  Block otherwise = finish(second);
  Block then = finish(first);
  build_.set_place(place(node));
  emit(If{condition, std::move(then), std::move(otherwise)});
  if (frame().is_inlined && frame().loops.empty() && contains_return(node)) {
    If guard{build_.negation(build_.read(frame().has_returned)), {}, {}};
    open_guard(std::move(guard), true, place(node));
  }
  Exprs result;
  for (const VariableId variable : chosen) {
    result.push_back(build_.read(variable));
  }
  return result;
}

auto FunctionLowering::block_values(Node node) -> Exprs {
  Node last = tail(node);
  if (last && parts_of(last).empty()) {
    last = Node();
  }
  for (Node child : node.children()) {
    if (syntax::is_named(child.kind()) && !(last && child == last)) {
      statement(child);
    }
  }
  return last ? values_as(last, parts_of(node)) : Exprs{};
}

auto FunctionLowering::array_literal(Node node) -> ExprId {
  Operands operands(*this);
  for (Node element : node.children(Field::Element)) {
    operands.add([&] { return value(element); });
  }
  Exprs elements = operands.take();
  build_.set_place(place(node));
  return elements.empty() ? build_.zero(type_at(node)) : build_.array(std::move(elements));
}

}  // namespace tacet::kernel
