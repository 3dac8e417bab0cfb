#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "compiler/core/syntax/block_tail.h"
#include "compiler/core/syntax/concatenation.h"
#include "compiler/core/syntax/kind_groups.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/run/interpret/element_type.h"
#include "compiler/run/interpret/lower_debug.h"
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

static void literal(FunctionLowering& lowering, syntax::Node node, Slot target);
static void name(FunctionLowering& lowering, syntax::Node node, Slot target);
static void constant_item(FunctionLowering& lowering, syntax::Node node, names::ItemId item,
                          Slot target);
static void cast_to(FunctionLowering& lowering, syntax::Node node, Slot target);
static void conditional(FunctionLowering& lowering, syntax::Node node, Slot target);
static void if_value(FunctionLowering& lowering, syntax::Node node, Slot target);
static void block_value(FunctionLowering& lowering, syntax::Node node, Slot target);
static void let_in(FunctionLowering& lowering, syntax::Node node, Slot target);
static void field(FunctionLowering& lowering, syntax::Node node, Slot target);
static void elements(FunctionLowering& lowering, syntax::FieldRange list, Slot target);
static void array_elements(FunctionLowering& lowering, syntax::Node node, Slot target);

/// A name that stands for cells of the frame that nothing changes while the expression around it
/// is evaluated.
static auto existing_slot(FunctionLowering& lowering, Node node, Slot& slot) -> bool {
  const names::Local* local = lowering.text.body->names.local(node.index());
  if (local == nullptr || (local->kind == LocalKind::Var && lowering.takes_references)) {
    return false;
  }
  LocalState& state = lowering.locals[lowering.text.body->names.of(node.index()).index()];
  if (state.remote != kNone) {
    return false;
  }
  if (state.definition != kNone) {
    demand(lowering, state.definition);
  }
  slot = state.slot;
  return true;
}

auto value(FunctionLowering& lowering, Node node) -> Slot {
  node = bare(node);
  Slot slot;
  if (existing_slot(lowering, node, slot)) {
    return slot;
  }
  slot = lowering.builder.allocate(cells(lowering, node));
  into(lowering, node, slot);
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
  if (types[from].kind == TypeKind::Array && types[to].kind == TypeKind::Array) {
    return have_equal_cells(types, types[from].element, types[to].element);
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

auto value_as(FunctionLowering& lowering, Node node, TypeId wanted) -> Slot {
  node = bare(node);
  if (!is_remote(types(lowering), wanted) &&
      have_equal_cells(types(lowering), type_of(lowering, node), wanted)) {
    return value(lowering, node);
  }
  Slot slot = lowering.builder.allocate(cells(lowering, wanted));
  into_as(lowering, node, wanted, slot);
  return slot;
}

void into_as(FunctionLowering& lowering, Node node, TypeId wanted, Slot target) {
  node = bare(node);
  uint32_t remote = remote_of(lowering, node);
  if (remote != kNone) {
    spread_remote(lowering, remote, wanted, target);
    return;
  }
  if (have_equal_cells(types(lowering), type_of(lowering, node), wanted)) {
    into(lowering, node, target);
    return;
  }
  Scope scope(lowering.builder);
  Slot source = value(lowering, node);
  lowering.builder.set_place(lowering.text.place(node));
  convert(lowering, type_of(lowering, node), source, wanted, target);
}

void convert(FunctionLowering& lowering, TypeId from, Slot source, TypeId to, Slot target) {
  if (have_equal_cells(types(lowering), from, to)) {
    lowering.builder.emit_move(target, source, cells(lowering, to));
    return;
  }
  if (types(lowering)[from].kind == TypeKind::Tuple) {
    std::vector<TypeId> from_parts = parts(types(lowering), from);
    std::vector<TypeId> to_parts = parts(types(lowering), to);
    for (size_t i = 0; i < from_parts.size() && i < to_parts.size(); ++i) {
      convert(lowering, from_parts[i], source, to_parts[i], target);
      source.index += static_cast<uint32_t>(cells(lowering, from_parts[i]));
      target.index += static_cast<uint32_t>(cells(lowering, to_parts[i]));
    }
    return;
  }
  if (types(lowering)[to].kind == TypeKind::Array) {
    convert_elements(lowering, from, source, to, target);
    return;
  }
  if (types(lowering)[to].kind == TypeKind::Record) {
    spread_remote(lowering, gather_remote(lowering, from, source), to, target);
    return;
  }
  ElementType from_element = element_type(types(lowering), from);
  elementwise(lowering, cells(lowering, to), cells(lowering, from) == 1 ? 0 : 1, 0, Opcode::Cast,
              element_type(types(lowering), to),
              {target.index, source.index, static_cast<uint32_t>(from_element.kind),
               from_element.fraction_bits});
}

/// One instruction, or the same for n elements.
void elementwise(FunctionLowering& lowering, uint64_t n, uint32_t left_stride,
                 uint32_t right_stride, Opcode opcode, ElementType type,
                 std::initializer_list<uint32_t> operands) {
  if (n == 0) {
    return;
  }
  if (n > 1) {
    lowering.builder.emit(Opcode::Repeat, {static_cast<uint32_t>(n), left_stride, right_stride});
  }
  lowering.builder.emit(opcode, type, operands);
}

void unsupported(FunctionLowering& lowering, Node node, std::string_view what) {
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit(Opcode::Fail, {static_cast<uint32_t>(Fault::Unsupported),
                                       lowering.program.message(std::string(what))});
}

void hole(FunctionLowering& lowering, Node node) {
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit(Opcode::Fail, {static_cast<uint32_t>(Fault::Hole), 0});
}

void into(FunctionLowering& lowering, Node node, Slot target) {
  node = bare(node);
  lowering.builder.set_place(lowering.text.place(node));
  switch (syntax::expression_kind(node.kind())) {
    case ExpressionKind::Identifier:
    case ExpressionKind::Dim:
      name(lowering, node, target);
      return;
    case ExpressionKind::Integer:
    case ExpressionKind::Float:
    case ExpressionKind::Boolean:
      literal(lowering, node, target);
      return;
    case ExpressionKind::Unary:
      unary_expression(lowering, node, target);
      return;
    case ExpressionKind::Binary:
      binary_expression(lowering, node, target);
      return;
    case ExpressionKind::Cast:
      cast_to(lowering, node, target);
      return;
    case ExpressionKind::Conditional:
      conditional(lowering, node, target);
      return;
    case ExpressionKind::If:
      if_value(lowering, node, target);
      return;
    case ExpressionKind::Let:
      let_in(lowering, node, target);
      return;
    case ExpressionKind::Field:
      field(lowering, node, target);
      return;
    case ExpressionKind::Array:
      if (check::range_in(node)) {
        range_array(lowering, node, target);
        return;
      }
      array_elements(lowering, node, target);
      return;
    case ExpressionKind::Tuple:
      elements(lowering, node.children(Field::Element), target);
      return;
    case ExpressionKind::Slice:
      slice(lowering, node, target);
      return;
    case ExpressionKind::For:
      for_value(lowering, node, target);
      return;
    case ExpressionKind::Index:
      index(lowering, node, target);
      return;
    case ExpressionKind::Call:
      call(lowering, node, target);
      return;
    case ExpressionKind::Await:
    case ExpressionKind::Submit:
      if (uint32_t remote = remote_of(lowering, node); remote != kNone) {
        spread_remote(lowering, remote, type_of(lowering, node), target);
        return;
      }
      unsupported(lowering, node, "this use of an encoder");
      return;
    case ExpressionKind::EncodeBegin:
      return;  // nothing is encoded yet
    case ExpressionKind::Hole:
    case ExpressionKind::StatementHole:
      hole(lowering, node);
      return;
    case ExpressionKind::String:
      unsupported(lowering, node, "the use of a string as a value");
      return;
    case ExpressionKind::None:
      if (node.is(NodeKind::Block)) {
        block_value(lowering, node, target);
        return;
      }
      unsupported(lowering, node, "this expression");
      return;
    case ExpressionKind::Parenthesized:
    case ExpressionKind::Path:
    case ExpressionKind::Range:
    case ExpressionKind::Tagged:
      unsupported(lowering, node, "this expression");
      return;
  }
}

static void literal(FunctionLowering& lowering, Node node, Slot target) {
  lowering.builder.emit_constant(target, literal_cell(element(lowering, node), node.text()));
}

static void name(FunctionLowering& lowering, Node node, Slot target) {
  names::Resolution meaning = lowering.text.body->names.of(node.index());
  if (meaning.is(names::Meaning::Item)) {
    constant_item(lowering, node, lowering.text.body->names.item(node.index()), target);
    return;
  }
  if (!meaning.is(names::Meaning::Local)) {
    unsupported(lowering, node, "the use of this name as a value");
    return;
  }
  LocalState& state = lowering.locals[meaning.index()];
  if (state.remote != kNone) {
    spread_remote(lowering, state.remote, type_of(lowering, node), target);
    return;
  }
  if (state.definition != kNone) {
    demand(lowering, state.definition);
    lowering.builder.set_place(lowering.text.place(node));
  }
  lowering.builder.emit_move(target, state.slot, cells(lowering, node));
}

/// A `const`: its expression, evaluated here with what its own item knows about it.
static void constant_item(FunctionLowering& lowering, Node node, names::ItemId item, Slot target) {
  if (lowering.program.kind_of(item) != ItemKind::Const) {
    unsupported(lowering, node, "the use of this name as a value");
    return;
  }
  TypeId wanted = type_of(lowering, node);
  ItemText constant = lowering.program.text_of(item);
  std::swap(lowering.text, constant);
  Node value_node = names::item_node(*lowering.text.tree).child(Field::Value);
  into_as(lowering, value_node, wanted, target);
  std::swap(lowering.text, constant);
}

static void cast_to(FunctionLowering& lowering, Node node, Slot target) {
  into_as(lowering, node.child(Field::Value), type_of(lowering, node), target);
}

void jump_unless_condition(FunctionLowering& lowering, Node node, CodeLabel label) {
  Scope scope(lowering.builder);
  Slot condition = value(lowering, node.child(Field::Condition));
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit_jump(Opcode::JumpUnless, condition, label);
}

/// Evaluates one of two arms; what only one of them evaluated is not known behind it.
static void conditional(FunctionLowering& lowering, Node node, Slot target) {
  CodeLabel otherwise = lowering.builder.new_label();
  CodeLabel end = lowering.builder.new_label();
  jump_unless_condition(lowering, node, otherwise);
  size_t known = lowering.known.size();
  into_as(lowering, node.child(Field::Consequence), type_of(lowering, node), target);
  lowering.builder.emit_jump(Opcode::Jump, end);
  forget_known(lowering, known);
  lowering.builder.bind(otherwise);
  into_as(lowering, node.child(Field::Alternative), type_of(lowering, node), target);
  forget_known(lowering, known);
  lowering.builder.bind(end);
}

static void if_value(FunctionLowering& lowering, Node node, Slot target) {
  if (!node.child(Field::Alternative)) {
    statement(lowering, node);
    return;
  }
  conditional(lowering, node, target);
}

static void block_value(FunctionLowering& lowering, Node node, Slot target) {
  DebugScope scope(lowering);
  const Node last = syntax::tail_of(node);
  for (Node child : node.children()) {
    if (syntax::is_named(child.kind()) && !(last && child == last)) {
      statement(lowering, child);
    }
  }
  if (last) {
    mark_statement(lowering, last.is(NodeKind::Block) ? Node() : last);
    into_as(lowering, last, type_of(lowering, node), target);
  }
}

static void let_in(FunctionLowering& lowering, Node node, Slot target) {
  if (is_specification(lowering)) {
    let_in_specification(lowering, node, target);
    return;
  }
  std::vector<Node> bindings;
  for (Node child : node.children()) {
    if (child.is(NodeKind::Binding)) {
      bindings.push_back(child);
    }
  }
  DebugScope scope(lowering);
  bind_names(lowering, bindings, node.child(Field::Value));
  into(lowering, node.child(Field::Body), target);
}

static void field(FunctionLowering& lowering, Node node, Slot target) {
  Node record = bare(node.child(Field::Record));
  Name name = lowering.program.snapshot().interner().find(node.child(Field::Field).text());
  Scope scope(lowering.builder);
  if (types(lowering)[type_of(lowering, record)].kind == TypeKind::Array) {
    field_of_elements(lowering, record, name, target);
    return;
  }
  uint32_t remote = remote_of(lowering, record);
  if (remote == kNone) {
    remote = gather_remote(lowering, type_of(lowering, record), value(lowering, record));
  }
  const Remote::FieldValue* found = field_of(lowering, remote, name);
  if (found == nullptr) {
    unsupported(lowering, node, "a field that was never encoded");
    return;
  }
  lowering.builder.set_place(lowering.text.place(node));
  convert(lowering, found->type, found->slot, type_of(lowering, node), target);
}

static void elements(FunctionLowering& lowering, syntax::FieldRange list, Slot target) {
  for (Node child : list) {
    into(lowering, child, target);
    target.index += static_cast<uint32_t>(cells(lowering, bare(child)));
  }
}

/// The elements of an array, each of the type that elements of `node` have.
static void array_elements(FunctionLowering& lowering, Node node, Slot target) {
  const types::Type& type = types(lowering)[type_of(lowering, node)];
  for (Node child : node.children(Field::Element)) {
    const bool is_record = type.kind == TypeKind::Array &&
                           types(lowering)[type_of(lowering, bare(child))].kind != TypeKind::Array;
    const TypeId wanted = is_record ? type.element : type_of(lowering, bare(child));
    into_as(lowering, child, wanted, target);
    target.index += static_cast<uint32_t>(cells(lowering, wanted));
  }
}

}  // namespace tacet::interpret
