#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "compiler/core/syntax/kind_groups.h"
#include "compiler/run/interpret/element_type.h"
#include "compiler/run/interpret/lowering.h"
#include "compiler/run/interpret/value.h"

namespace tacet::interpret {

using names::ItemKind;
using names::LocalKind;
using syntax::ExpressionKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeId;
using types::TypeKind;

/// A name that stands for cells of the frame that nothing changes while the expression around it
/// is evaluated.
auto FunctionLowering::existing_slot(Node node, Slot& slot) -> bool {
  const names::Local* local = text_.body->names.local(node.index());
  if (local == nullptr || (local->kind == LocalKind::Var && takes_references_)) {
    return false;
  }
  LocalState& state = locals_[text_.body->names.of(node.index()).index()];
  if (state.remote != kNone) {
    return false;
  }
  if (state.definition != kNone) {
    demand(state.definition);
  }
  slot = state.slot;
  return true;
}

auto FunctionLowering::value(Node node) -> Slot {
  node = bare(node);
  Slot slot;
  if (existing_slot(node, slot)) {
    return slot;
  }
  slot = builder_.allocate(cells(node));
  into(node, slot);
  return slot;
}

/// True if cells of one type mean the same as those of the other.
static auto have_equal_cells(const types::TypeStore& types, TypeId from, TypeId to) -> bool {
  if (from == to) {
    return true;
  }
  if (types[from].kind == TypeKind::Value && types[to].kind == TypeKind::Value) {
    return element_type(types, from) == element_type(types, to);
  }
  std::vector<TypeId> left = parts(types, from);
  std::vector<TypeId> right = parts(types, to);
  if (types[from].kind == TypeKind::Tuple && left.size() == right.size()) {
    for (size_t i = 0; i < left.size(); ++i) {
      if (!have_equal_cells(types, left[i], right[i])) {
        return false;
      }
    }
    return true;
  }
  std::vector<types::RecordField> from_fields = record_fields(types, from);
  std::vector<types::RecordField> to_fields = record_fields(types, to);
  bool are_equal = from_fields.size() == to_fields.size();
  for (size_t i = 0; are_equal && i < to_fields.size(); ++i) {
    are_equal = from_fields[i].name == to_fields[i].name &&
                have_equal_cells(types, from_fields[i].type, to_fields[i].type);
  }
  return are_equal && types[from].kind == types[to].kind;
}

auto FunctionLowering::value_as(Node node, TypeId wanted) -> Slot {
  node = bare(node);
  if (!is_remote(types(), wanted) && have_equal_cells(types(), type(node), wanted)) {
    return value(node);
  }
  Slot slot = builder_.allocate(cells(wanted));
  into_as(node, wanted, slot);
  return slot;
}

void FunctionLowering::into_as(Node node, TypeId wanted, Slot target) {
  node = bare(node);
  uint32_t remote = remote_of(node);
  if (remote != kNone) {
    spread_remote(remote, wanted, target);
    return;
  }
  if (have_equal_cells(types(), type(node), wanted)) {
    into(node, target);
    return;
  }
  Scope scope(builder_);
  Slot source = value(node);
  builder_.set_place(text_.place(node));
  convert(type(node), source, wanted, target);
}

void FunctionLowering::convert(TypeId from, Slot source, TypeId to, Slot target) {
  if (have_equal_cells(types(), from, to)) {
    builder_.emit_move(target, source, cells(to));
    return;
  }
  if (types()[from].kind == TypeKind::Tuple) {
    std::vector<TypeId> from_parts = parts(types(), from);
    std::vector<TypeId> to_parts = parts(types(), to);
    for (size_t i = 0; i < from_parts.size() && i < to_parts.size(); ++i) {
      convert(from_parts[i], source, to_parts[i], target);
      source.index += static_cast<uint32_t>(cells(from_parts[i]));
      target.index += static_cast<uint32_t>(cells(to_parts[i]));
    }
    return;
  }
  if (types()[to].kind == TypeKind::Record) {
    spread_remote(gather_remote(from, source), to, target);
    return;
  }
  ElementType from_element = element_type(types(), from);
  elementwise(cells(to), cells(from) == 1 ? 0 : 1, 0, Opcode::Cast, element_type(types(), to),
              {target.index, source.index, static_cast<uint32_t>(from_element.kind),
               from_element.fraction_bits});
}

/// One instruction, or the same for n elements.
void FunctionLowering::elementwise(uint64_t n, uint32_t left_stride, uint32_t right_stride,
                                   Opcode opcode, ElementType type,
                                   std::initializer_list<uint32_t> operands) {
  if (n == 0) {
    return;
  }
  if (n > 1) {
    builder_.emit(Opcode::Repeat, {static_cast<uint32_t>(n), left_stride, right_stride});
  }
  builder_.emit(opcode, type, operands);
}

void FunctionLowering::unsupported(Node node, std::string_view what) {
  builder_.set_place(text_.place(node));
  builder_.emit(Opcode::Fail,
                {static_cast<uint32_t>(Fault::Unsupported), program_.message(std::string(what))});
}

void FunctionLowering::hole(Node node) {
  builder_.set_place(text_.place(node));
  builder_.emit(Opcode::Fail, {static_cast<uint32_t>(Fault::Hole), 0});
}

void FunctionLowering::into(Node node, Slot target) {
  node = bare(node);
  builder_.set_place(text_.place(node));
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier:
    case ExpressionKind::Dim:
      name(node, target);
      return;
    case ExpressionKind::Integer:
    case ExpressionKind::Float:
    case ExpressionKind::Boolean:
      literal(node, target);
      return;
    case ExpressionKind::Unary:
      unary(node, target);
      return;
    case ExpressionKind::Binary:
      binary(node, target);
      return;
    case ExpressionKind::Cast:
      cast_to(node, target);
      return;
    case ExpressionKind::Conditional:
      conditional(node, target);
      return;
    case ExpressionKind::If:
      if_value(node, target);
      return;
    case ExpressionKind::Let:
      let_in(node, target);
      return;
    case ExpressionKind::Field:
      field(node, target);
      return;
    case ExpressionKind::Tuple:
    case ExpressionKind::Array:
      elements(node.children(Field::Element), target);
      return;
    case ExpressionKind::For:
      for_value(node, target);
      return;
    case ExpressionKind::Index:
      index(node, target);
      return;
    case ExpressionKind::Call:
      call(node, target);
      return;
    case ExpressionKind::Await:
    case ExpressionKind::Submit:
      if (uint32_t remote = remote_of(node); remote != kNone) {
        spread_remote(remote, type(node), target);
        return;
      }
      unsupported(node, "this use of an encoder");
      return;
    case ExpressionKind::EncodeBegin:
      return;  // nothing is encoded yet
    case ExpressionKind::Hole:
    case ExpressionKind::StatementHole:
      hole(node);
      return;
    case ExpressionKind::String:
      unsupported(node, "the use of a string as a value");
      return;
    case ExpressionKind::None:
      if (node.is(NodeKind::Block)) {
        block_value(node, target);
        return;
      }
      unsupported(node, "this expression");
      return;
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Path:
    case ExpressionKind::Range:
    case ExpressionKind::Tagged:
      unsupported(node, "this expression");
      return;
  }
}

void FunctionLowering::literal(Node node, Slot target) {
  builder_.emit_constant(target, literal_cell(element(node), node.text()));
}

void FunctionLowering::name(Node node, Slot target) {
  names::Resolution meaning = text_.body->names.of(node.index());
  if (meaning.is(names::Meaning::Item)) {
    constant_item(node, text_.body->names.item(node.index()), target);
    return;
  }
  if (!meaning.is(names::Meaning::Local)) {
    unsupported(node, "the use of this name as a value");
    return;
  }
  LocalState& state = locals_[meaning.index()];
  if (state.remote != kNone) {
    spread_remote(state.remote, type(node), target);
    return;
  }
  if (state.definition != kNone) {
    demand(state.definition);
    builder_.set_place(text_.place(node));
  }
  builder_.emit_move(target, state.slot, cells(node));
}

/// A `const`: its expression, evaluated here with what its own item knows about it.
void FunctionLowering::constant_item(Node node, names::ItemId item, Slot target) {
  if (program_.kind_of(item) != ItemKind::Const) {
    unsupported(node, "the use of this name as a value");
    return;
  }
  TypeId wanted = type(node);
  ItemText constant = program_.text_of(item);
  std::swap(text_, constant);
  Node value_node = names::item_node(*text_.tree).child(Field::Value);
  into_as(value_node, wanted, target);
  std::swap(text_, constant);
}

void FunctionLowering::unary(Node node, Slot target) {
  Node operand = node.child(Field::Operand);
  NodeKind operation = node.child(Field::Operator).kind();
  Scope scope(builder_);
  if (operation == NodeKind::Amp) {
    Node variable = bare(operand);
    const names::Local* local = text_.body->names.local(variable.index());
    if (types()[type(variable)].kind == TypeKind::Reference) {
      into(variable, target);  // `&r` of a reference is the reference
    } else if (local != nullptr) {
      builder_.emit(
          Opcode::Reference,
          {target.index, locals_[text_.body->names.of(variable.index()).index()].slot.index});
    } else {
      unsupported(node, "a reference to something that is not a variable");
    }
    return;
  }
  Slot source = value(operand);
  builder_.set_place(text_.place(node));
  auto n = static_cast<uint32_t>(cells(node));
  if (operation == NodeKind::Star) {
    builder_.emit(Opcode::Load, {target.index, source.index, n});
    return;
  }
  const Opcode opcode = operation == NodeKind::Minus  ? Opcode::Negate
                        : operation == NodeKind::Bang ? Opcode::Not
                                                      : Opcode::Complement;
  elementwise(n, 1, 0, opcode, element(node), {target.index, source.index});
}

static auto opcode_of(NodeKind operation) -> std::optional<Opcode> {
  // Both sides of `&&` and `||` are evaluated.
  static constexpr std::pair<NodeKind, Opcode> kOpcodes[] = {
      {NodeKind::Plus, Opcode::Add},
      {NodeKind::Minus, Opcode::Sub},
      {NodeKind::Star, Opcode::Mul},
      {NodeKind::Slash, Opcode::Div},
      {NodeKind::Percent, Opcode::Rem},
      {NodeKind::Amp, Opcode::And},
      {NodeKind::AmpAmp, Opcode::And},
      {NodeKind::Pipe, Opcode::Or},
      {NodeKind::PipePipe, Opcode::Or},
      {NodeKind::Caret, Opcode::Xor},
      {NodeKind::LessLess, Opcode::Shl},
      {NodeKind::GreaterGreater, Opcode::Shr},
      {NodeKind::GreaterGreaterGreater, Opcode::ShrArithmetic},
      {NodeKind::Less, Opcode::Less},
      {NodeKind::LessEqual, Opcode::LessEqual},
      {NodeKind::Greater, Opcode::Greater},
      {NodeKind::GreaterEqual, Opcode::GreaterEqual},
      {NodeKind::EqualEqual, Opcode::Equal},
      {NodeKind::NotEqual, Opcode::NotEqual},
  };
  for (const auto& [token, opcode] : kOpcodes) {
    if (token == operation) {
      return opcode;
    }
  }
  return std::nullopt;
}

/// An operand in the type that its operator works on.
/// The opcode of an operator without its faults.
static auto total(Opcode opcode) -> Opcode {
  const int first = static_cast<int>(Opcode::Add);
  const auto operation = static_cast<engine::BinaryOperation>(static_cast<int>(opcode) - first);
  return static_cast<Opcode>(static_cast<int>(engine::total(operation)) + first);
}

auto FunctionLowering::promoted(Node operand, ElementType wanted) -> Slot {
  operand = bare(operand);
  ElementType from = element(operand);
  Slot source = value(operand);
  if (from == wanted) {
    return source;
  }
  uint64_t n = cells(operand);
  Slot target = builder_.allocate(n);
  builder_.set_place(text_.place(operand));
  elementwise(n, 1, 0, Opcode::Cast, wanted,
              {target.index, source.index, static_cast<uint32_t>(from.kind), from.fraction_bits});
  return target;
}

void FunctionLowering::binary(Node node, Slot target) {
  Node left = bare(node.child(Field::Left));
  Node right = bare(node.child(Field::Right));
  std::optional<Opcode> opcode = opcode_of(node.child(Field::Operator).kind());
  if (!opcode) {
    unsupported(node, "this operator");
    return;
  }
  ElementType type = element(left);
  // An integer beside a fixed-point number becomes one.
  if (element(right).kind == ElementKind::Fxp) {
    type = element(right);
  }
  Scope scope(builder_);
  Slot left_slot = promoted(left, type);
  Slot right_slot = promoted(right, type);
  auto stride = [&](Node operand) -> uint32_t {
    return extents(types(), this->type(operand)).empty() ? 0 : 1;
  };
  builder_.set_place(text_.place(node));
  if (hides_faults(node, right)) {
    opcode = total(*opcode);
  }
  elementwise(cells(node), stride(left), stride(right), *opcode, type,
              {target.index, left_slot.index, right_slot.index});
}

void FunctionLowering::cast_to(Node node, Slot target) {
  into_as(node.child(Field::Value), type(node), target);
}

/// Evaluates one of two arms; what only one of them evaluated is not known behind it.
void FunctionLowering::conditional(Node node, Slot target) {
  CodeLabel otherwise = builder_.new_label();
  CodeLabel end = builder_.new_label();
  {
    Scope scope(builder_);
    Slot condition = value(node.child(Field::Condition));
    builder_.set_place(text_.place(node));
    builder_.emit_jump(Opcode::JumpUnless, condition, otherwise);
  }
  size_t known = known_.size();
  into_as(node.child(Field::Consequence), type(node), target);
  builder_.emit_jump(Opcode::Jump, end);
  forget_known(known);
  builder_.bind(otherwise);
  into_as(node.child(Field::Alternative), type(node), target);
  forget_known(known);
  builder_.bind(end);
}

void FunctionLowering::if_value(Node node, Slot target) {
  if (!node.child(Field::Alternative)) {
    statement(node);
    return;
  }
  conditional(node, target);
}

void FunctionLowering::block_value(Node node, Slot target) {
  Node last = node.child(Field::Result);
  for (Node child : node.children()) {
    if (!last && child.index() + text_.tree->nodes[child.index()].size + 1 == node.subtree_end() &&
        (child.is(NodeKind::IfExpression) || child.is(NodeKind::Block))) {
      last = child;  // an `if` right before the closing brace
    }
  }
  for (Node child : node.children()) {
    if (syntax::is_named(child.kind()) && !(last && child == last)) {
      statement(child);
    }
  }
  if (last) {
    into_as(last, type(node), target);
  }
}

void FunctionLowering::let_in(Node node, Slot target) {
  if (is_specification()) {
    let_in_specification(node, target);
    return;
  }
  std::vector<Node> bindings;
  for (Node child : node.children()) {
    if (child.is(NodeKind::Binding)) {
      bindings.push_back(child);
    }
  }
  bind(bindings, node.child(Field::Value));
  into(node.child(Field::Body), target);
}

void FunctionLowering::field(Node node, Slot target) {
  Node record = bare(node.child(Field::Record));
  Name name = program_.snapshot().interner().find(node.child(Field::Field).text());
  Scope scope(builder_);
  uint32_t remote = remote_of(record);
  if (remote == kNone) {
    remote = gather_remote(type(record), value(record));
  }
  const Remote::FieldValue* found = field_of(remote, name);
  if (found == nullptr) {
    unsupported(node, "a field that was never encoded");
    return;
  }
  builder_.set_place(text_.place(node));
  convert(found->type, found->slot, type(node), target);
}

void FunctionLowering::elements(syntax::FieldRange list, Slot target) {
  for (Node child : list) {
    into(child, target);
    target.index += static_cast<uint32_t>(cells(child));
  }
}

}  // namespace tacet::interpret
