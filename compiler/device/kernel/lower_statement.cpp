#include <algorithm>

#include "compiler/core/syntax/kind_groups.h"
#include "compiler/device/kernel/lowering.h"
#include "compiler/device/kernel/walk.h"

namespace tacet::kernel {

using engine::kI64;
using syntax::StatementKind;
using types::TypeId;

void FunctionLowering::statements(Node block) {
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind())) {
      statement(child);
      if (always_leaves(child)) {
        return;
      }
    }
  }
}

void FunctionLowering::statement(Node node) {
  build_.set_place(place(node));
  switch (syntax::statement_kind(node.kind())) {
    case StatementKind::Let:
    case StatementKind::Var:
      return let_or_var(node);
    case StatementKind::Assignment:
      return assignment(node);
    case StatementKind::Annotation:
      return;  // for the checker
    case StatementKind::If:
      return if_statement(node);
    case StatementKind::Block:
      return statements(node);
    case StatementKind::For:
      return for_loop(node);
    case StatementKind::While:
      return while_loop(node);
    case StatementKind::Do:
      return do_loop(node);
    case StatementKind::Break:
      return emit(Break{});
    case StatementKind::Continue:
      if (!frame().loops.empty() && frame().loops.back().retest) {
        frame().loops.back().retest();
        build_.set_place(place(node));
      }
      return emit(Continue{});
    case StatementKind::Return:
      if (Node given = node.child(Field::Value)) {
        return return_value(given);
      }
      return return_exprs({}, node);
    case StatementKind::Encode:
      return problem(node, "`encode`");
    case StatementKind::Hole:
      return problem(node, "a hole");
    case StatementKind::Call:
    case StatementKind::Returns:
    case StatementKind::None:
      break;
  }
  // A value that nobody uses: a call, the result of a block. What it could fail at stays.
  const Node given = node.is(NodeKind::CallStatement) ? node.child(Field::Call) : node;
  for (const ExprId value : values(given)) {
    if (can_fault(kernel_, value)) {
      build_.set_place(place(node));
      emit(Assign{build_.variable("unused", build_.type(value)), value});
    }
  }
}

auto FunctionLowering::local_of(Node name) -> Held* {
  const names::Resolution meaning = frame().body->names.of(name.index());
  return meaning.is(names::Meaning::Local) ? &frame().locals[meaning.index()] : nullptr;
}

auto FunctionLowering::local_type(Node name) -> std::optional<TypeId> {
  const names::Resolution meaning = frame().body->names.of(name.index());
  return meaning.is(names::Meaning::Local)
             ? std::optional(frame().body->local_types[meaning.index()])
             : std::nullopt;
}

/// Makes the variable that a name declares.
auto FunctionLowering::declare(Node name, Type type, bool is_mutable) -> VariableId {
  build_.set_place(place(name));
  const VariableId variable = build_.variable(name.text(), std::move(type));
  kernel_.variables[variable].is_mutable = is_mutable;
  if (const std::optional<TypeId> declared = local_type(name)) {
    kernel_.variables[variable].visibility = types().visibility(*declared);
    *local_of(name) = variable;
  }
  return variable;
}

void FunctionLowering::let_or_var(Node node) {
  if (Node given = node.child(Field::Value)) {
    bind(node, given);
    return;
  }
  for (Node binding : bindings_of(node)) {
    const Node name = binding.child(Field::Name);
    if (const std::optional<TypeId> held = local_type(name)) {
      const Type type = type_at(name, *held);
      const VariableId variable = declare(name, type, true);
      emit(Assign{variable, build_.zero(type)});
    }
  }
}

void FunctionLowering::bind(Node node, Node given) {
  const std::vector<Node> bindings = bindings_of(node);
  const bool is_var = node.is(NodeKind::VarStatement);
  const Exprs given_values = bindings.size() == 1 ? Exprs{value(given)} : values(given);
  for (size_t i = 0; i < bindings.size() && i < given_values.size(); ++i) {
    build_.set_place(place(node));
    bind_one(bindings[i], given_values[i], is_var);
  }
}

void FunctionLowering::bind_one(Node binding, ExprId value, bool is_var) {
  const Node name = binding.child(Field::Name);
  const FileRange statement = build_.place();
  if (const std::optional<TypeId> held = local_type(name)) {
    const Type type = type_at(name, *held);
    const VariableId variable = declare(name, type, is_var);
    build_.set_place(statement);
    emit(Assign{variable, build_.cast(value, type.element)});
  } else if (can_fault(kernel_, value)) {
    emit(Assign{build_.variable("unused", build_.type(value)), value});
  }
}

void FunctionLowering::assignment(Node node) {
  const Node target = syntax::bare(node.child(Field::Target));
  const Node given = node.child(Field::Value);
  if (target.is(NodeKind::IndexExpression)) {
    store(target, given);
    return;
  }
  const std::optional<TypeId> held = local_type(target);
  if (!held) {
    problem(target, "an assignment through a reference");
    return;
  }
  const ExprId assigned = value_as(given, *held);
  build_.set_place(place(node));
  if (const auto* variable = std::get_if<VariableId>(local_of(target))) {
    emit(Assign{*variable, assigned});
  } else {
    problem(target, "an assignment to something that is not a variable");
  }
}

void FunctionLowering::store(Node target, Node given) {
  std::vector<Node> indices;
  Node array = target;
  for (; array.is(NodeKind::IndexExpression); array = syntax::bare(array.child(Field::Array))) {
    indices.push_back(array.child(Field::Index));
  }
  std::reverse(indices.begin(), indices.end());
  Operands operands(*this);
  operands.add([&] { return value_as(given, type_id(target)); });
  StoreElement store;
  for (size_t i = 0; i < indices.size(); ++i) {
    operands.add([&] { return value(indices[i]); });
    store.lenient |= uint64_t{hides_faults(target, indices[i]) ? 1U : 0U} << (i & 63);
  }
  Held* held = local_of(array);
  const auto* variable = held != nullptr ? std::get_if<VariableId>(held) : nullptr;
  if (variable == nullptr) {
    problem(target, "an assignment through a reference");
    return;
  }
  Exprs evaluated = operands.take();
  store.array = *variable;
  store.value = evaluated.front();
  store.indices.assign(evaluated.begin() + 1, evaluated.end());
  build_.set_place(place(target));
  emit(std::move(store));
}

/// In an inlined function an arm that returns leaves the rest of the block to the other one.
void FunctionLowering::if_statement(Node node) {
  const Node consequence = node.child(Field::Consequence);
  const Node alternative = node.child(Field::Alternative);
  const ExprId condition = value(node.child(Field::Condition));
  const bool splits = frame().is_inlined && frame().loops.empty() && contains_return(node);
  const bool leaves_then = splits && always_returns(consequence);
  const bool leaves_else = splits && alternative && always_returns(alternative);
  if (leaves_then || leaves_else) {
    open();
    statement(leaves_then ? consequence : alternative);
    Block leaving = close();
    If guard{condition, {}, {}};
    (leaves_then ? guard.then : guard.otherwise) = std::move(leaving);
    open_guard(std::move(guard), leaves_else, place(node));
    if (const Node staying = leaves_then ? alternative : consequence) {
      statement(staying);
    }
    return;
  }
  open();
  statement(consequence);
  Block then = close();
  open();
  if (alternative) {
    statement(alternative);
  }
  Block otherwise = close();
  build_.set_place(place(node));
  emit(If{condition, std::move(then), std::move(otherwise)});
  if (splits && frame().has_returned.has_value()) {
    If guard{build_.negation(build_.read(frame().has_returned)), {}, {}};
    open_guard(std::move(guard), true, place(node));
  }
}

auto FunctionLowering::loop_body(Node body, std::function<void()> retest) -> Block {
  open();
  frame().loops.push_back({retest});
  statement(body);
  frame().loops.pop_back();
  if (retest) {
    retest();
  }
  return close();
}

void FunctionLowering::leave_after_loop(Node body) {
  if (!frame().is_inlined || !contains_return(body)) {
    return;
  }
  const ExprId has_returned = build_.read(frame().has_returned);
  if (frame().loops.empty()) {
    If guard{build_.negation(has_returned), {}, {}};
    open_guard(std::move(guard), true, build_.place());
  } else {
    const Block leaves{build_.statement(Break{})};
    emit(If{has_returned, leaves, {}});
  }
}

void FunctionLowering::for_loop(Node node) {
  const Node name = node.child(Field::Variable);
  const std::optional<TypeId> held = local_type(name);
  const TypeId counted = held ? *held : types::TypeStore::kI64;
  Operands bounds(*this);
  For loop;
  bounds.add([&] { return value_as(node.child(Field::Lower), counted); });
  bounds.add([&] { return value_as(node.child(Field::Upper), counted); });
  const Node step = node.child(Field::Step);
  if (step) {
    bounds.add([&] { return value_as(step, counted); });
  }
  const Node max = node.child(Field::Max);
  if (max) {
    bounds.add([&] { return value_as(max, types::TypeStore::kI64); });
  }
  loop.lower = bounds[0];
  loop.upper = bounds[1];
  if (step) {
    loop.step = bounds[2];
    loop.is_lenient = hides_faults(step, step);
  }
  if (max) {
    loop.max = bounds[step ? 3 : 2];
  }
  if (frame().draws.loop_draws(node.index())) {
    drawing_for_loop(node, std::move(loop));
    return;
  }
  loop.counter = declare(name, {type_at(name, counted).element, {}}, false);
  kernel_.variables[loop.counter].kind = VariableKind::Counter;
  loop.body = loop_body(node.child(Field::Body), {});
  build_.set_place(place(node));
  emit(std::move(loop));
  leave_after_loop(node.child(Field::Body));
}

/// A condition that needs statements is kept in a variable, and found out again wherever an
/// iteration ends.
void FunctionLowering::while_loop(Node node) {
  if (frame().draws.loop_draws(node.index())) {
    drawing_while_loop(node);
    return;
  }
  const Node condition = node.child(Field::Condition);
  While loop;
  Operands operands(*this);
  if (const Node max = node.child(Field::Max)) {
    operands.add([&] { return value_as(max, types::TypeStore::kI64); });
  }
  const uint64_t n_emitted = n_emitted_;
  operands.add([&] { return value(condition); });
  const Exprs evaluated = operands.take();
  if (evaluated.size() > 1) {
    loop.max = evaluated[0];
  }
  loop.condition = evaluated.back();
  std::function<void()> retest;
  if (n_emitted_ != n_emitted) {
    const VariableId goes_on = build_.mutable_variable("goes_on", {engine::kBool, {}});
    emit(Assign{goes_on, loop.condition});
    loop.condition = build_.read(goes_on);
    retest = [this, condition, goes_on] {
      const ExprId again = value(condition);
      build_.set_place(place(condition));
      emit(Assign{goes_on, again});
    };
  }
  loop.body = loop_body(node.child(Field::Body), std::move(retest));
  build_.set_place(place(node));
  emit(std::move(loop));
  leave_after_loop(node.child(Field::Body));
}

void FunctionLowering::do_loop(Node node) {
  if (frame().draws.loop_draws(node.index())) {
    drawing_while_loop(node);
    return;
  }
  const Node condition = node.child(Field::Condition);
  While loop{.condition = {}, .body = {}, .tests_last = true};
  if (const Node max = node.child(Field::Max)) {
    loop.max = value_as(max, types::TypeStore::kI64);
  }
  // Does it need statements? Those of a trial are forgotten.
  open();
  const uint64_t n_emitted = n_emitted_;
  loop.condition = value(condition);
  const bool needs_statements = n_emitted_ != n_emitted;
  close();
  std::function<void()> retest;
  if (needs_statements) {
    const VariableId goes_on = build_.mutable_variable("goes_on", {engine::kBool, {}});
    loop.condition = build_.read(goes_on);
    retest = [this, condition, goes_on] {
      const ExprId again = value(condition);
      build_.set_place(place(condition));
      emit(Assign{goes_on, again});
    };
  }
  loop.body = loop_body(node.child(Field::Body), std::move(retest));
  build_.set_place(place(node));
  emit(std::move(loop));
  leave_after_loop(node.child(Field::Body));
}

}  // namespace tacet::kernel
