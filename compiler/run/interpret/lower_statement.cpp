#include "compiler/core/syntax/kind_groups.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using syntax::StatementKind;
using types::TypeId;
using types::TypeKind;

void FunctionLowering::statements(Node block) {
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind())) {
      statement(child);
    }
  }
}

void FunctionLowering::statement(Node node) {
  builder_.set_place(text_.place(node));
  switch (syntax::statement_kind(node.kind())) {
    case StatementKind::Let:
    case StatementKind::Var:
      let_or_var(node);
      return;
    case StatementKind::Assignment:
      assignment(node);
      return;
    case StatementKind::Call: {
      Scope scope(builder_);
      value(node.child(Field::Call));
      return;
    }
    case StatementKind::Hole:
      hole(node);
      return;
    case StatementKind::Annotation:
      return;  // for the checker
    case StatementKind::Encode:
      encode(node);
      return;
    case StatementKind::If:
      if_statement(node);
      return;
    case StatementKind::Block:
      statements(node);
      return;
    case StatementKind::For:
      for_loop(node);
      return;
    case StatementKind::While:
      while_loop(node);
      return;
    case StatementKind::Do:
      do_loop(node);
      return;
    case StatementKind::Break:
      if (!loops_.empty()) {
        builder_.emit_jump(Opcode::Jump, loops_.back().end);
      }
      return;
    case StatementKind::Continue:
      if (!loops_.empty()) {
        builder_.emit_jump(Opcode::Jump, loops_.back().next);
      }
      return;
    case StatementKind::Return:
      if (Node given = node.child(Field::Value)) {
        return_value(given);
      } else {
        return_slot({0});
      }
      return;
    case StatementKind::Returns:
    case StatementKind::None: {
      // The result of a block whose value nobody uses.
      Scope scope(builder_);
      value(node);
    }
  }
}

void FunctionLowering::if_statement(Node node) {
  CodeLabel otherwise = builder_.new_label();
  CodeLabel end = builder_.new_label();
  {
    Scope scope(builder_);
    Slot condition = value(node.child(Field::Condition));
    builder_.set_place(text_.place(node));
    builder_.emit_jump(Opcode::JumpUnless, condition, otherwise);
  }
  statement(node.child(Field::Consequence));
  Node alternative = node.child(Field::Alternative);
  if (alternative) {
    builder_.emit_jump(Opcode::Jump, end);
  }
  builder_.bind(otherwise);
  if (alternative) {
    statement(alternative);
  }
  builder_.bind(end);
}

void FunctionLowering::let_or_var(Node node) {
  std::vector<Node> bindings;
  for (Node child : node.children()) {
    if (child.is(NodeKind::Binding)) {
      bindings.push_back(child);
    }
  }
  Node given = node.child(Field::Value);
  if (given) {
    bind(bindings, given);
    return;
  }
  for (Node binding : bindings) {
    names::Resolution meaning = text_.body->names.of(binding.child(Field::Name).index());
    if (meaning.is(names::Meaning::Local)) {
      TypeId held = text_.body->local_types[meaning.index()];
      Slot slot = builder_.allocate(cells(held));
      locals_[meaning.index()].slot = slot;
      builder_.emit(Opcode::Zero, {slot.index, static_cast<uint32_t>(cells(held))});
    }
  }
}

void FunctionLowering::bind(std::span<const Node> bindings, Node given) {
  std::vector<TypeId> of_value =
      bindings.size() == 1 ? std::vector<TypeId>{type(given)} : parts(types(), type(given));
  uint32_t remote = bindings.size() == 1 ? remote_of(given) : kNone;
  if (remote != kNone) {
    names::Resolution meaning = text_.body->names.of(bindings[0].child(Field::Name).index());
    if (meaning.is(names::Meaning::Local)) {
      locals_[meaning.index()].remote = remote;
    }
    return;
  }
  uint64_t n_cells = 0;
  for (TypeId part : of_value) {
    n_cells += cells(part);
  }
  // The variables' own slots first, so that what the value needs meanwhile is free afterwards.
  Slot slot = builder_.allocate(n_cells);
  {
    Scope scope(builder_);
    into(given, slot);
  }
  for (size_t i = 0; i < bindings.size() && i < of_value.size(); ++i) {
    names::Resolution meaning = text_.body->names.of(bindings[i].child(Field::Name).index());
    if (meaning.is(names::Meaning::Local)) {
      LocalState& state = locals_[meaning.index()];
      TypeId declared = text_.body->local_types[meaning.index()];
      state.slot = slot;
      if (is_remote(types(), of_value[i])) {
        state.remote = gather_remote(of_value[i], slot);
      } else if (element_type(types(), declared) != element_type(types(), of_value[i])) {
        state.slot = builder_.allocate(cells(declared));
        convert(of_value[i], slot, declared, state.slot);
      }
    }
    slot.index += static_cast<uint32_t>(cells(of_value[i]));
  }
}

void FunctionLowering::assignment(Node node) {
  Node target = bare(node.child(Field::Target));
  Node given = node.child(Field::Value);
  Scope scope(builder_);
  if (target.is(NodeKind::IndexExpression)) {
    assign_element(target, given);
    return;
  }
  if (target.is(NodeKind::UnaryExpression)) {
    assign_through_reference(target, given);
    return;
  }
  names::Resolution meaning = text_.body->names.of(target.index());
  if (!meaning.is(names::Meaning::Local)) {
    unsupported(node, "an assignment to something that is not a variable");
    return;
  }
  TypeId held = text_.body->local_types[meaning.index()];
  // Not straight into the variable: the value may read it while it is being written.
  Slot slot = value_as(given, held);
  builder_.set_place(text_.place(node));
  builder_.emit_move(locals_[meaning.index()].slot, slot, cells(held));
}

void FunctionLowering::assign_through_reference(Node target, Node given) {
  Node referred = bare(target.child(Field::Operand));
  TypeId held = types()[type(referred)].element;
  Slot slot = value_as(given, held);
  Slot reference = value(referred);
  builder_.set_place(text_.place(target));
  builder_.emit(Opcode::Store, {reference.index, slot.index, static_cast<uint32_t>(cells(held))});
}

void FunctionLowering::assign_element(Node target, Node given) {
  Slot slot = value_as(given, type(target));
  Slot at = builder_.allocate(1);
  uint64_t width = 0;
  Node array = bare(address(target, true, at, width));
  auto put = [&](Slot to) {
    builder_.emit(Opcode::Put, {to.index, at.index, slot.index, static_cast<uint32_t>(width)});
  };
  if (array.is(NodeKind::UnaryExpression)) {
    // `(*r)[i] = e`: the array is changed in a copy and written back.
    Node referred = bare(array.child(Field::Operand));
    auto n = static_cast<uint32_t>(cells(array));
    Slot reference = value(referred);
    Slot copy = builder_.allocate(n);
    builder_.set_place(text_.place(target));
    builder_.emit(Opcode::Load, {copy.index, reference.index, n});
    put(copy);
    builder_.emit(Opcode::Store, {reference.index, copy.index, n});
    return;
  }
  names::Resolution meaning = text_.body->names.of(array.index());
  builder_.set_place(text_.place(target));
  if (meaning.is(names::Meaning::Local)) {
    put(locals_[meaning.index()].slot);
  } else {
    unsupported(target, "an assignment to something that is not a variable");
  }
}

/// Evaluates `max n` into `limit`. False if there is none.
auto FunctionLowering::loop_limit(Node max, Slot& limit) -> bool {
  if (max) {
    limit = value_as(max, types::TypeStore::kI64);
  }
  return static_cast<bool>(max);
}

/// Stands where the loop is about to go on: leaves it, and says so, after `limit` iterations.
void FunctionLowering::check_limit(bool has_limit, Slot count, Slot limit, CodeLabel end,
                                   Node loop) {
  if (!has_limit) {
    return;
  }
  CodeLabel goes_on = builder_.new_label();
  Scope scope(builder_);
  Slot is_below = builder_.allocate(1);
  Slot step = builder_.allocate(1);
  builder_.set_place(text_.place(loop.child(Field::Max)));
  builder_.emit(Opcode::Less, kI64, {is_below.index, count.index, limit.index});
  builder_.emit_jump(Opcode::JumpIf, is_below, goes_on);
  builder_.emit(Opcode::Note, {static_cast<uint32_t>(Remark::LoopCutShort)});
  builder_.emit_jump(Opcode::Jump, end);
  builder_.bind(goes_on);
  builder_.emit_constant(step, 1);
  builder_.emit(Opcode::Add, kI64, {count.index, count.index, step.index});
}

void FunctionLowering::for_loop(Node node) {
  names::Resolution variable = text_.body->names.of(node.child(Field::Variable).index());
  TypeId counted = variable.is(names::Meaning::Local) ? text_.body->local_types[variable.index()]
                                                      : types::TypeStore::kI64;
  ElementType element = element_type(types(), counted);
  Scope scope(builder_);
  Slot at = builder_.allocate(1);
  Slot count = builder_.allocate(1);
  Slot condition = builder_.allocate(1);
  Slot step = builder_.allocate(1);
  Slot shown = builder_.allocate(1);
  into_as(node.child(Field::Lower), counted, at);
  Slot upper = builder_.allocate(1);  // its own: the body may change the variable it is read from
  into_as(node.child(Field::Upper), counted, upper);
  Node step_node = node.child(Field::Step);
  builder_.set_place(text_.place(step_node ? step_node : node));
  if (step_node) {
    into_as(step_node, counted, step);
    builder_.set_place(text_.place(step_node));
  } else {
    builder_.emit_constant(step, 1);
  }
  // Where a secret is the step, one below 1 ends the loop behind its first iteration.
  if (step_node && !hides_faults(step_node, step_node)) {
    builder_.emit_constant(condition, 0);
    builder_.emit(Opcode::Greater, element, {condition.index, step.index, condition.index});
    CodeLabel is_positive = builder_.new_label();
    builder_.emit_jump(Opcode::JumpIf, condition, is_positive);
    builder_.emit(Opcode::Fail, {static_cast<uint32_t>(Fault::BadStep), 0});
    builder_.bind(is_positive);
  }
  Slot limit;
  bool has_limit = loop_limit(node.child(Field::Max), limit);
  builder_.emit_constant(count, 0);
  LoopLabels labels{builder_.new_label(), builder_.new_label()};
  CodeLabel start = builder_.new_label();
  Turns turns(*this, node);
  builder_.bind(start);
  builder_.set_place(text_.place(node));
  builder_.emit(Opcode::Less, element, {condition.index, at.index, upper.index});
  builder_.emit_jump(Opcode::JumpUnless, condition, labels.end);
  check_limit(has_limit, count, limit, labels.end, node);
  builder_.emit_move(shown, at, 1);
  turns.begin_turn();
  if (variable.is(names::Meaning::Local)) {
    locals_[variable.index()].slot = shown;
  }
  loops_.push_back(labels);
  statement(node.child(Field::Body));
  loops_.pop_back();
  builder_.bind(labels.next);
  builder_.set_place(text_.place(node));
  builder_.emit(Opcode::Add, element, {shown.index, at.index, step.index});
  // A step over the end of the type ends the loop too.
  builder_.emit(Opcode::Greater, element, {condition.index, shown.index, at.index});
  builder_.emit_move(at, shown, 1);
  builder_.emit_jump(Opcode::JumpUnless, condition, labels.end);
  builder_.emit_jump(Opcode::Loop, start);
  builder_.bind(labels.end);
}

void FunctionLowering::while_loop(Node node) {
  Scope scope(builder_);
  Slot count = builder_.allocate(1);
  builder_.emit_constant(count, 0);
  Slot limit;
  bool has_limit = loop_limit(node.child(Field::Max), limit);
  LoopLabels labels{builder_.new_label(), builder_.new_label()};
  Turns turns(*this, node);
  builder_.bind(labels.next);
  turns.begin_turn();
  {
    Scope condition_scope(builder_);
    Slot condition = value(node.child(Field::Condition));
    builder_.emit_jump(Opcode::JumpUnless, condition, labels.end);
  }
  check_limit(has_limit, count, limit, labels.end, node);
  loops_.push_back(labels);
  statement(node.child(Field::Body));
  loops_.pop_back();
  builder_.set_place(text_.place(node));
  builder_.emit_jump(Opcode::Loop, labels.next);
  builder_.bind(labels.end);
}

void FunctionLowering::do_loop(Node node) {
  Scope scope(builder_);
  Slot count = builder_.allocate(1);
  builder_.emit_constant(count, 1);
  Slot limit;
  bool has_limit = loop_limit(node.child(Field::Max), limit);
  LoopLabels labels{builder_.new_label(), builder_.new_label()};
  CodeLabel start = builder_.new_label();
  Turns turns(*this, node);
  builder_.bind(start);
  turns.begin_turn();
  loops_.push_back(labels);
  statement(node.child(Field::Body));
  loops_.pop_back();
  builder_.bind(labels.next);
  {
    Scope condition_scope(builder_);
    Slot condition = value(node.child(Field::Condition));
    builder_.emit_jump(Opcode::JumpUnless, condition, labels.end);
  }
  check_limit(has_limit, count, limit, labels.end, node);
  builder_.emit_jump(Opcode::Loop, start);
  builder_.bind(labels.end);
}

}  // namespace tacet::interpret
