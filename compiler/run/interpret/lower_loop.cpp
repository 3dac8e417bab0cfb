#include "compiler/front/check/array_forms.h"
#include "compiler/run/interpret/lower_debug.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using syntax::Field;
using syntax::Node;
using types::TypeId;

/// Evaluates `max n` into `limit`. False if there is none.
static auto loop_limit(FunctionLowering& lowering, Node max, Slot& limit) -> bool {
  if (max) {
    limit = value_as(lowering, max, types::TypeStore::kI64);
  }
  return static_cast<bool>(max);
}

/// Runs before each iteration: leaves the loop, with a report, after `limit` iterations.
static void check_limit(FunctionLowering& lowering, bool has_limit, Slot count, Slot limit,
                        CodeLabel end, Node loop) {
  if (!has_limit) {
    return;
  }
  CodeLabel continues = lowering.builder.new_label();
  Scope scope(lowering.builder);
  Slot is_below = lowering.builder.allocate(1);
  Slot step = lowering.builder.allocate(1);
  lowering.builder.set_place(lowering.text.place(loop.child(Field::Max)));
  lowering.builder.emit(Opcode::Less, kI64, {is_below.index, count.index, limit.index});
  lowering.builder.emit_jump(Opcode::JumpIf, is_below, continues);
  lowering.builder.emit(Opcode::Note, {static_cast<uint32_t>(Remark::LoopCutShort)});
  lowering.builder.emit_jump(Opcode::Jump, end);
  lowering.builder.bind(continues);
  lowering.builder.emit_constant(step, 1);
  lowering.builder.emit(Opcode::Add, kI64, {count.index, count.index, step.index});
}

/// `for x, y in a, b { … }`
static void element_loop(FunctionLowering& lowering, Node node) {
  const std::vector<Node> arrays = check::arrays_of(lowering.text.body->names, node);
  const std::vector<uint64_t> shape =
      arrays.empty() ? std::vector<uint64_t>()
                     : extents(types(lowering), type_of(lowering, bare(arrays.front())));
  Scope scope(lowering.builder);
  LoopElements elements(lowering, node, LoopElements::Copies::Arrays);
  Slot counter = lowering.builder.allocate(1);
  Slot condition = lowering.builder.allocate(1);
  Slot step = lowering.builder.allocate(1);
  Slot end = lowering.builder.allocate(1);
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit_constant(counter, 0);
  lowering.builder.emit_constant(step, 1);
  lowering.builder.emit_constant(end, shape.empty() ? 0 : shape.front());
  LoopLabels labels{lowering.builder.new_label(), lowering.builder.new_label()};
  CodeLabel start = lowering.builder.new_label();
  IterationDraws iterations(lowering, node);
  lowering.builder.bind(start);
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit(Opcode::Less, kI64, {condition.index, counter.index, end.index});
  lowering.builder.emit_jump(Opcode::JumpUnless, condition, labels.end);
  iterations.begin_iteration();
  elements.fetch(counter);
  {
    DebugScope seen(lowering);
    elements.show();
    lowering.loops.push_back(labels);
    statement(lowering, node.child(Field::Body));
    lowering.loops.pop_back();
  }
  lowering.builder.bind(labels.next);
  mark_statement(lowering, node);
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit(Opcode::Add, kI64, {counter.index, counter.index, step.index});
  lowering.builder.emit_jump(Opcode::Loop, start);
  lowering.builder.bind(labels.end);
}

void for_loop(FunctionLowering& lowering, Node node) {
  if (node.child(Field::Array)) {
    element_loop(lowering, node);
    return;
  }
  names::Resolution variable = lowering.text.body->names.of(node.child(Field::Variable).index());
  TypeId counted = variable.is(names::Meaning::Local)
                       ? lowering.text.body->local_types[variable.index()]
                       : types::TypeStore::kI64;
  ElementType element = element_type(types(lowering), counted);
  Scope scope(lowering.builder);
  Slot at = lowering.builder.allocate(1);
  Slot count = lowering.builder.allocate(1);
  Slot condition = lowering.builder.allocate(1);
  Slot step = lowering.builder.allocate(1);
  Slot shown = lowering.builder.allocate(1);
  into_as(lowering, node.child(Field::Lower), counted, at);
  Slot upper =
      lowering.builder.allocate(1);  // its own: the body may change the variable it is read from
  into_as(lowering, node.child(Field::Upper), counted, upper);
  Node step_node = node.child(Field::Step);
  lowering.builder.set_place(lowering.text.place(step_node ? step_node : node));
  if (step_node) {
    into_as(lowering, step_node, counted, step);
    lowering.builder.set_place(lowering.text.place(step_node));
  } else {
    lowering.builder.emit_constant(step, 1);
  }
  // Where a secret is the step, one below 1 ends the loop behind its first iteration.
  if (step_node && !hides_faults(lowering, step_node, step_node)) {
    lowering.builder.emit_constant(condition, 0);
    lowering.builder.emit(Opcode::Greater, element, {condition.index, step.index, condition.index});
    CodeLabel is_positive = lowering.builder.new_label();
    lowering.builder.emit_jump(Opcode::JumpIf, condition, is_positive);
    lowering.builder.emit(Opcode::Fail, {static_cast<uint32_t>(Fault::BadStep), 0});
    lowering.builder.bind(is_positive);
  }
  Slot limit;
  bool has_limit = loop_limit(lowering, node.child(Field::Max), limit);
  lowering.builder.emit_constant(count, 0);
  LoopLabels labels{lowering.builder.new_label(), lowering.builder.new_label()};
  CodeLabel start = lowering.builder.new_label();
  IterationDraws iterations(lowering, node);
  lowering.builder.bind(start);
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit(Opcode::Less, element, {condition.index, at.index, upper.index});
  lowering.builder.emit_jump(Opcode::JumpUnless, condition, labels.end);
  check_limit(lowering, has_limit, count, limit, labels.end, node);
  lowering.builder.emit_move(shown, at, 1);
  iterations.begin_iteration();
  if (variable.is(names::Meaning::Local)) {
    lowering.locals[variable.index()].slot = shown;
  }
  {
    DebugScope seen(lowering);
    show_name(lowering, node.child(Field::Variable));
    lowering.loops.push_back(labels);
    statement(lowering, node.child(Field::Body));
    lowering.loops.pop_back();
  }
  lowering.builder.bind(labels.next);
  mark_statement(lowering, node);
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit(Opcode::Add, element, {shown.index, at.index, step.index});
  // A step over the end of the type ends the loop too.
  lowering.builder.emit(Opcode::Greater, element, {condition.index, shown.index, at.index});
  lowering.builder.emit_move(at, shown, 1);
  lowering.builder.emit_jump(Opcode::JumpUnless, condition, labels.end);
  lowering.builder.emit_jump(Opcode::Loop, start);
  lowering.builder.bind(labels.end);
}

void while_loop(FunctionLowering& lowering, Node node) {
  Scope scope(lowering.builder);
  Slot count = lowering.builder.allocate(1);
  lowering.builder.emit_constant(count, 0);
  Slot limit;
  bool has_limit = loop_limit(lowering, node.child(Field::Max), limit);
  LoopLabels labels{lowering.builder.new_label(), lowering.builder.new_label()};
  IterationDraws iterations(lowering, node);
  lowering.builder.bind(labels.next);
  mark_statement(lowering, node);
  iterations.begin_iteration();
  jump_unless_condition(lowering, node, labels.end);
  check_limit(lowering, has_limit, count, limit, labels.end, node);
  lowering.loops.push_back(labels);
  statement(lowering, node.child(Field::Body));
  lowering.loops.pop_back();
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit_jump(Opcode::Loop, labels.next);
  lowering.builder.bind(labels.end);
}

void do_loop(FunctionLowering& lowering, Node node) {
  Scope scope(lowering.builder);
  Slot count = lowering.builder.allocate(1);
  lowering.builder.emit_constant(count, 1);
  Slot limit;
  bool has_limit = loop_limit(lowering, node.child(Field::Max), limit);
  LoopLabels labels{lowering.builder.new_label(), lowering.builder.new_label()};
  CodeLabel start = lowering.builder.new_label();
  IterationDraws iterations(lowering, node);
  lowering.builder.bind(start);
  iterations.begin_iteration();
  lowering.loops.push_back(labels);
  statement(lowering, node.child(Field::Body));
  lowering.loops.pop_back();
  lowering.builder.bind(labels.next);
  mark_statement(lowering, node);
  jump_unless_condition(lowering, node, labels.end);
  check_limit(lowering, has_limit, count, limit, labels.end, node);
  lowering.builder.emit_jump(Opcode::Loop, start);
  lowering.builder.bind(labels.end);
}

}  // namespace tacet::interpret
