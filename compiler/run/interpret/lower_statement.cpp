#include "compiler/core/syntax/kind_groups.h"
#include "compiler/front/check/array_forms.h"
#include "compiler/run/interpret/lower_debug.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using syntax::StatementKind;
using types::TypeId;
using types::TypeKind;

static void if_statement(FunctionLowering& lowering, syntax::Node node);
static void let_or_var(FunctionLowering& lowering, syntax::Node node);
static void assignment(FunctionLowering& lowering, syntax::Node node);
static void assign_through_reference(FunctionLowering& lowering, syntax::Node target,
                                     syntax::Node value);
static void assign_element(FunctionLowering& lowering, syntax::Node target, syntax::Node value);

static void statements(FunctionLowering& lowering, Node block) {
  DebugScope scope(lowering);
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind())) {
      statement(lowering, child);
    }
  }
}

/// Statements that others have inside, or that are marked where they start over, are not marked.
static auto is_marked(Node node) -> bool {
  switch (syntax::statement_kind(node.kind())) {
    case StatementKind::Let:
    case StatementKind::Var:
    case StatementKind::Assignment:
    case StatementKind::Call:
    case StatementKind::Hole:
    case StatementKind::Encode:
    case StatementKind::If:
    case StatementKind::For:
    case StatementKind::Break:
    case StatementKind::Continue:
    case StatementKind::Returns:
    case StatementKind::None:
      return true;
    case StatementKind::Return:
      return !node.child(Field::Value);
    case StatementKind::Annotation:
    case StatementKind::Block:
    case StatementKind::While:
    case StatementKind::Do:
      return false;
  }
  return false;
}

void statement(FunctionLowering& lowering, Node node) {
  lowering.builder.set_place(lowering.text.place(node));
  if (is_marked(node)) {
    mark_statement(lowering, node);
  }
  switch (syntax::statement_kind(node.kind())) {
    case StatementKind::Let:
    case StatementKind::Var:
      let_or_var(lowering, node);
      return;
    case StatementKind::Assignment:
      assignment(lowering, node);
      return;
    case StatementKind::Call: {
      Scope scope(lowering.builder);
      value(lowering, node.child(Field::Call));
      return;
    }
    case StatementKind::Hole:
      hole(lowering, node);
      return;
    case StatementKind::Annotation:
      return;  // for the checker
    case StatementKind::Encode:
      encode(lowering, node);
      return;
    case StatementKind::If:
      if_statement(lowering, node);
      return;
    case StatementKind::Block:
      statements(lowering, node);
      return;
    case StatementKind::For:
      for_loop(lowering, node);
      return;
    case StatementKind::While:
      while_loop(lowering, node);
      return;
    case StatementKind::Do:
      do_loop(lowering, node);
      return;
    case StatementKind::Break:
      if (!lowering.loops.empty()) {
        lowering.builder.emit_jump(Opcode::Jump, lowering.loops.back().end);
      }
      return;
    case StatementKind::Continue:
      if (!lowering.loops.empty()) {
        lowering.builder.emit_jump(Opcode::Jump, lowering.loops.back().next);
      }
      return;
    case StatementKind::Return:
      if (Node given = node.child(Field::Value)) {
        return_value(lowering, given);
      } else {
        return_slot(lowering, {0});
      }
      return;
    case StatementKind::Returns:
    case StatementKind::None: {
      // The result of a block whose value nobody uses.
      Scope scope(lowering.builder);
      value(lowering, node);
    }
  }
}

static void if_statement(FunctionLowering& lowering, Node node) {
  CodeLabel otherwise = lowering.builder.new_label();
  CodeLabel end = lowering.builder.new_label();
  jump_unless_condition(lowering, node, otherwise);
  statement(lowering, node.child(Field::Consequence));
  Node alternative = node.child(Field::Alternative);
  if (alternative) {
    lowering.builder.emit_jump(Opcode::Jump, end);
  }
  lowering.builder.bind(otherwise);
  if (alternative) {
    statement(lowering, alternative);
  }
  lowering.builder.bind(end);
}

static void let_or_var(FunctionLowering& lowering, Node node) {
  std::vector<Node> bindings;
  for (Node child : node.children()) {
    if (child.is(NodeKind::Binding)) {
      bindings.push_back(child);
    }
  }
  Node given = node.child(Field::Value);
  if (given) {
    bind_names(lowering, bindings, given);
    return;
  }
  for (Node binding : bindings) {
    names::Resolution meaning = lowering.text.body->names.of(binding.child(Field::Name).index());
    if (meaning.is(names::Meaning::Local)) {
      TypeId held = lowering.text.body->local_types[meaning.index()];
      Slot slot = lowering.builder.allocate(cells(lowering, held));
      lowering.locals[meaning.index()].slot = slot;
      lowering.builder.emit(Opcode::Zero,
                            {slot.index, static_cast<uint32_t>(cells(lowering, held))});
      show_local(lowering, meaning.index());
    }
  }
}

void bind_names(FunctionLowering& lowering, std::span<const Node> bindings, Node given) {
  std::vector<TypeId> of_value = bindings.size() == 1
                                     ? std::vector<TypeId>{type_of(lowering, given)}
                                     : parts(types(lowering), type_of(lowering, given));
  uint32_t remote = bindings.size() == 1 ? remote_of(lowering, given) : kNone;
  if (remote != kNone) {
    names::Resolution meaning =
        lowering.text.body->names.of(bindings[0].child(Field::Name).index());
    if (meaning.is(names::Meaning::Local)) {
      lowering.locals[meaning.index()].remote = remote;
    }
    return;
  }
  uint64_t n_cells = 0;
  for (TypeId part : of_value) {
    n_cells += cells(lowering, part);
  }
  // The variables' own slots first, so that what the value needs meanwhile is free afterwards.
  Slot slot = lowering.builder.allocate(n_cells);
  {
    Scope scope(lowering.builder);
    into(lowering, given, slot);
  }
  for (size_t i = 0; i < bindings.size() && i < of_value.size(); ++i) {
    names::Resolution meaning =
        lowering.text.body->names.of(bindings[i].child(Field::Name).index());
    if (meaning.is(names::Meaning::Local)) {
      LocalState& state = lowering.locals[meaning.index()];
      TypeId declared = lowering.text.body->local_types[meaning.index()];
      state.slot = slot;
      if (is_remote(types(lowering), of_value[i])) {
        state.remote = gather_remote(lowering, of_value[i], slot);
      } else if (element_type(types(lowering), declared) !=
                 element_type(types(lowering), of_value[i])) {
        state.slot = lowering.builder.allocate(cells(lowering, declared));
        convert(lowering, of_value[i], slot, declared, state.slot);
      }
      show_local(lowering, meaning.index());
    }
    slot.index += static_cast<uint32_t>(cells(lowering, of_value[i]));
  }
}

/// Does an assignment to it change fields of records?
static auto is_in_record(Node target) -> bool {
  for (; target.is(NodeKind::IndexExpression); target = bare(target.child(Field::Array))) {
  }
  return target.is(NodeKind::FieldExpression);
}

/// Puts `part` in the place that `target` is: a field of a record, which is changed in a copy and
/// put back in its own place, and so on up to the variable.
static void assign_part(FunctionLowering& lowering, Node target, Slot part) {
  target = bare(target);
  lowering.builder.set_place(lowering.text.place(target));
  if (target.is(NodeKind::FieldExpression)) {
    const Node record = bare(target.child(Field::Record));
    const TypeId type = type_of(lowering, record);
    const Name name =
        lowering.program.snapshot().interner().find(target.child(Field::Field).text());
    const Slot copy = lowering.builder.allocate(cells(lowering, type));
    into(lowering, record, copy);
    uint32_t before = 0;
    for (const types::RecordField& field : record_fields(types(lowering), type)) {
      const uint64_t n = cells(lowering, field.type);
      if (field.name == name) {
        lowering.builder.emit_move({copy.index + before}, part, n);
        break;
      }
      before += static_cast<uint32_t>(n);
    }
    assign_part(lowering, record, copy);
    return;
  }
  if (target.is(NodeKind::IndexExpression)) {
    const Slot at = lowering.builder.allocate(1);
    uint64_t width = 0;
    const Node array = bare(address(lowering, target, true, at, width));
    const Slot copy = lowering.builder.allocate(cells(lowering, array));
    into(lowering, array, copy);
    lowering.builder.set_place(lowering.text.place(target));
    lowering.builder.emit(Opcode::Put,
                          {copy.index, at.index, part.index, static_cast<uint32_t>(width)});
    assign_part(lowering, array, copy);
    return;
  }
  const names::Resolution meaning = lowering.text.body->names.of(target.index());
  if (meaning.is(names::Meaning::Local)) {
    lowering.builder.emit_move(lowering.locals[meaning.index()].slot, part,
                               cells(lowering, target));
  } else {
    unsupported(lowering, target, "an assignment to something that is not a variable");
  }
}

static void assignment(FunctionLowering& lowering, Node node) {
  Node target = bare(node.child(Field::Target));
  Node given = node.child(Field::Value);
  Scope scope(lowering.builder);
  if (is_in_record(target)) {
    assign_part(lowering, target, value_as(lowering, given, type_of(lowering, target)));
    return;
  }
  if (target.is(NodeKind::IndexExpression)) {
    assign_element(lowering, target, given);
    return;
  }
  if (target.is(NodeKind::UnaryExpression)) {
    assign_through_reference(lowering, target, given);
    return;
  }
  names::Resolution meaning = lowering.text.body->names.of(target.index());
  if (!meaning.is(names::Meaning::Local)) {
    unsupported(lowering, node, "an assignment to something that is not a variable");
    return;
  }
  TypeId held = lowering.text.body->local_types[meaning.index()];
  // Not straight into the variable: the value may read it while it is being written.
  Slot slot = value_as(lowering, given, held);
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit_move(lowering.locals[meaning.index()].slot, slot, cells(lowering, held));
}

static void assign_through_reference(FunctionLowering& lowering, Node target, Node given) {
  Node referred = bare(target.child(Field::Operand));
  TypeId held = types(lowering)[type_of(lowering, referred)].element;
  Slot slot = value_as(lowering, given, held);
  Slot reference = value(lowering, referred);
  lowering.builder.set_place(lowering.text.place(target));
  lowering.builder.emit(
      Opcode::Store, {reference.index, slot.index, static_cast<uint32_t>(cells(lowering, held))});
}

static void assign_element(FunctionLowering& lowering, Node target, Node given) {
  Slot slot = value_as(lowering, given, type_of(lowering, target));
  Slot at = lowering.builder.allocate(1);
  uint64_t width = 0;
  Node array = bare(address(lowering, target, true, at, width));
  auto put = [&](Slot to) {
    lowering.builder.emit(Opcode::Put,
                          {to.index, at.index, slot.index, static_cast<uint32_t>(width)});
  };
  if (array.is(NodeKind::UnaryExpression)) {
    // `(*r)[i] = e`: the array is changed in a copy and written back.
    Node referred = bare(array.child(Field::Operand));
    auto n = static_cast<uint32_t>(cells(lowering, array));
    Slot reference = value(lowering, referred);
    Slot copy = lowering.builder.allocate(n);
    lowering.builder.set_place(lowering.text.place(target));
    lowering.builder.emit(Opcode::Load, {copy.index, reference.index, n});
    put(copy);
    lowering.builder.emit(Opcode::Store, {reference.index, copy.index, n});
    return;
  }
  names::Resolution meaning = lowering.text.body->names.of(array.index());
  lowering.builder.set_place(lowering.text.place(target));
  if (meaning.is(names::Meaning::Local)) {
    put(lowering.locals[meaning.index()].slot);
  } else {
    unsupported(lowering, target, "an assignment to something that is not a variable");
  }
}

}  // namespace tacet::interpret
