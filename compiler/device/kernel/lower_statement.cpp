#include <algorithm>

#include "compiler/core/syntax/kind_groups.h"
#include "compiler/device/kernel/lowering.h"
#include "compiler/device/kernel/walk.h"

namespace tacet::kernel {

using engine::kI64;
using syntax::StatementKind;
using types::TypeId;

static void let_or_var(FunctionLowering& lowering, Node node);
static void bind_one(FunctionLowering& lowering, Node binding, const Exprs& values, TypeId type,
                     bool is_var);
static void assignment(FunctionLowering& lowering, Node node);
static void if_statement(FunctionLowering& lowering, Node node);
static void for_loop(FunctionLowering& lowering, Node node);
static void while_loop(FunctionLowering& lowering, Node node);
static void do_loop(FunctionLowering& lowering, Node node);

static void statements(FunctionLowering& lowering, Node block) {
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind())) {
      statement(lowering, child);
      if (always_leaves(child)) {
        return;
      }
    }
  }
}

void statement(FunctionLowering& lowering, Node node) {
  lowering.build.set_place(place_of(lowering, node));
  switch (syntax::statement_kind(node.kind())) {
    case StatementKind::Let:
    case StatementKind::Var:
      return let_or_var(lowering, node);
    case StatementKind::Assignment:
      return assignment(lowering, node);
    case StatementKind::Annotation:
      return;  // for the checker
    case StatementKind::If:
      return if_statement(lowering, node);
    case StatementKind::Block:
      return statements(lowering, node);
    case StatementKind::For:
      return for_loop(lowering, node);
    case StatementKind::While:
      return while_loop(lowering, node);
    case StatementKind::Do:
      return do_loop(lowering, node);
    case StatementKind::Break:
      return emit(lowering, Break{});
    case StatementKind::Continue:
      if (!frame(lowering).loops.empty() && frame(lowering).loops.back().retest) {
        frame(lowering).loops.back().retest();
        lowering.build.set_place(place_of(lowering, node));
      }
      return emit(lowering, Continue{});
    case StatementKind::Return:
      if (Node given = node.child(Field::Value)) {
        return return_value(lowering, given);
      }
      return return_exprs(lowering, {}, node);
    case StatementKind::Encode:
      return problem(lowering, node, "`encode`");
    case StatementKind::Hole:
      return problem(lowering, node, "a hole");
    case StatementKind::Call:
    case StatementKind::Returns:
    case StatementKind::None:
      break;
  }
  // A value that nobody uses: a call, the result of a block. What it could fail at stays.
  const Node given = node.is(NodeKind::CallStatement) ? node.child(Field::Call) : node;
  for (const ExprId value : values(lowering, given)) {
    if (can_fault(lowering.kernel, value)) {
      lowering.build.set_place(place_of(lowering, node));
      emit(lowering, Assign{lowering.build.variable("unused", lowering.build.type(value)), value});
    }
  }
}

static auto local_of(FunctionLowering& lowering, Node name) -> Held* {
  const names::Resolution meaning = frame(lowering).body->names.of(name.index());
  return meaning.is(names::Meaning::Local) ? &frame(lowering).locals[meaning.index()] : nullptr;
}

static auto local_type(FunctionLowering& lowering, Node name) -> std::optional<TypeId> {
  const names::Resolution meaning = frame(lowering).body->names.of(name.index());
  return meaning.is(names::Meaning::Local)
             ? std::optional(frame(lowering).body->local_types[meaning.index()])
             : std::nullopt;
}

/// Makes the variable that a name declares.
auto declare(FunctionLowering& lowering, Node name, Type type, bool is_mutable) -> VariableId {
  lowering.build.set_place(place_of(lowering, name));
  const VariableId variable = lowering.build.variable(name.text(), std::move(type));
  lowering.kernel.variables[variable].is_mutable = is_mutable;
  if (const std::optional<TypeId> declared = local_type(lowering, name)) {
    lowering.kernel.variables[variable].visibility = types(lowering).visibility(*declared);
    *local_of(lowering, name) = {variable};
  }
  return variable;
}

static void let_or_var(FunctionLowering& lowering, Node node) {
  if (Node given = node.child(Field::Value)) {
    bind_names(lowering, node, given);
    return;
  }
  for (Node binding : bindings_of(node)) {
    const Node name = binding.child(Field::Name);
    if (const std::optional<TypeId> held = local_type(lowering, name)) {
      for (const VariableId variable : declare_columns(lowering, name, *held, true)) {
        emit(lowering,
             Assign{variable, lowering.build.zero(lowering.kernel.variables[variable].type)});
      }
    }
  }
}

void bind_names(FunctionLowering& lowering, Node node, Node given) {
  const std::vector<Node> bindings = bindings_of(node);
  const bool is_var = node.is(NodeKind::VarStatement);
  const TypeId type = type_id(lowering, syntax::bare(given));
  const bool is_single = bindings.size() == 1;
  const bool is_value = is_single && !is_of_columns(lowering, given);
  const Exprs all = is_value ? Exprs{value(lowering, given)} : values(lowering, given);
  const std::vector<TypeId> members = is_single
                                          ? std::vector<TypeId>{type}
                                          : types(lowering).members(types(lowering)[type].members);
  auto next = all.begin();
  for (size_t i = 0; i < bindings.size() && i < members.size(); ++i) {
    const auto size = static_cast<std::ptrdiff_t>(types::n_columns(types(lowering), members[i]));
    if (all.end() - next < size) {
      return;
    }
    lowering.build.set_place(place_of(lowering, node));
    bind_one(lowering, bindings[i], Exprs(next, next + size), members[i], is_var);
    next += size;
  }
}

/// `type` is that of the values.
static void bind_one(FunctionLowering& lowering, Node binding, const Exprs& values, TypeId type,
                     bool is_var) {
  const Node name = binding.child(Field::Name);
  const FileRange statement = lowering.build.place();
  if (const std::optional<TypeId> held = local_type(lowering, name)) {
    const std::vector<VariableId> variables = declare_columns(lowering, name, *held, is_var);
    lowering.build.set_place(statement);
    const Exprs bound = converted(lowering, name, values, type, *held);
    for (size_t i = 0; i < variables.size(); ++i) {
      emit(lowering, Assign{variables[i], bound[i]});
    }
    return;
  }
  for (const ExprId value : values) {
    if (can_fault(lowering.kernel, value)) {
      emit(lowering, Assign{lowering.build.variable("unused", lowering.build.type(value)), value});
    }
  }
}

/// The variables of the columns that are assigned to; none, with a problem, if it is something else.
static auto variables_of(FunctionLowering& lowering, const Target& target, Node node)
    -> std::vector<VariableId> {
  const Held* held = target.root ? local_of(lowering, target.root) : nullptr;
  if (held == nullptr) {
    problem(lowering, node, "an assignment through a reference");
    return {};
  }
  std::vector<VariableId> variables;
  for (size_t i = 0; i < target.columns.size && target.columns.begin + i < held->size(); ++i) {
    if (const auto* variable = std::get_if<VariableId>(&(*held)[target.columns.begin + i])) {
      variables.push_back(*variable);
    }
  }
  if (variables.size() != target.columns.size) {
    problem(lowering, node, "an assignment to something that is not a variable");
    return {};
  }
  return variables;
}

static void assignment(FunctionLowering& lowering, Node node) {
  const Node place = syntax::bare(node.child(Field::Target));
  const Target target(lowering, place);
  const std::vector<VariableId> variables = variables_of(lowering, target, place);
  if (variables.empty()) {
    return;
  }
  Operands operands(lowering);
  operands.add_all([&] {
    // An assignment to a name keeps the name's own type.
    const std::optional<TypeId> held = local_type(lowering, place);
    return values_as(lowering, node.child(Field::Value), held ? *held : type_id(lowering, place));
  });
  StoreElement store;
  for (size_t i = 0; i < target.indices.size(); ++i) {
    operands.add([&] { return value(lowering, target.indices[i]); });
    store.lenient |= uint64_t{hides_faults(lowering, place, target.indices[i]) ? 1U : 0U}
                     << (i & 63);
  }
  Exprs evaluated = operands.take();
  if (evaluated.size() != variables.size() + target.indices.size()) {
    problem(lowering, place, "this assignment");
    return;
  }
  lowering.build.set_place(place_of(lowering, target.indices.empty() ? node : place));
  keep_if_written(lowering, evaluated, variables);
  store.indices.assign(evaluated.begin() + static_cast<std::ptrdiff_t>(variables.size()),
                       evaluated.end());
  for (size_t i = 0; i < variables.size(); ++i) {
    if (target.indices.empty()) {
      emit(lowering, Assign{variables[i], evaluated[i]});
    } else {
      store.array = variables[i];
      store.value = evaluated[i];
      emit(lowering, store);
    }
  }
}

/// In an inlined function an arm that returns leaves the rest of the block to the other one.
static void if_statement(FunctionLowering& lowering, Node node) {
  const Node consequence = node.child(Field::Consequence);
  const Node alternative = node.child(Field::Alternative);
  const ExprId condition = value(lowering, node.child(Field::Condition));
  const bool splits =
      frame(lowering).is_inlined && frame(lowering).loops.empty() && contains_return(node);
  const bool leaves_then = splits && always_returns(consequence);
  const bool leaves_else = splits && alternative && always_returns(alternative);
  if (leaves_then || leaves_else) {
    open(lowering);
    statement(lowering, leaves_then ? consequence : alternative);
    Block leaving = close(lowering);
    If guard{condition, {}, {}};
    (leaves_then ? guard.then : guard.otherwise) = std::move(leaving);
    open_guard(lowering, std::move(guard), leaves_else, place_of(lowering, node));
    if (const Node staying = leaves_then ? alternative : consequence) {
      statement(lowering, staying);
    }
    return;
  }
  open(lowering);
  statement(lowering, consequence);
  Block then = close(lowering);
  open(lowering);
  if (alternative) {
    statement(lowering, alternative);
  }
  Block otherwise = close(lowering);
  lowering.build.set_place(place_of(lowering, node));
  emit(lowering, If{condition, std::move(then), std::move(otherwise)});
  if (splits && frame(lowering).has_returned.has_value()) {
    If guard{lowering.build.negation(lowering.build.read(frame(lowering).has_returned)), {}, {}};
    open_guard(lowering, std::move(guard), true, place_of(lowering, node));
  }
}

auto loop_body(FunctionLowering& lowering, Node body, std::function<void()> retest) -> Block {
  open(lowering);
  frame(lowering).loops.push_back({retest});
  statement(lowering, body);
  frame(lowering).loops.pop_back();
  if (retest) {
    retest();
  }
  return close(lowering);
}

void leave_after_loop(FunctionLowering& lowering, Node body) {
  if (!frame(lowering).is_inlined || !contains_return(body)) {
    return;
  }
  const ExprId has_returned = lowering.build.read(frame(lowering).has_returned);
  if (frame(lowering).loops.empty()) {
    If guard{lowering.build.negation(has_returned), {}, {}};
    open_guard(lowering, std::move(guard), true, lowering.build.place());
  } else {
    const Block leaves{lowering.build.statement(Break{})};
    emit(lowering, If{has_returned, leaves, {}});
  }
}

static void for_loop(FunctionLowering& lowering, Node node) {
  if (node.child(Field::Array)) {
    element_loop(lowering, node);
    return;
  }
  const Node name = node.child(Field::Variable);
  const std::optional<TypeId> held = local_type(lowering, name);
  const TypeId counted = held ? *held : types::TypeStore::kI64;
  Operands bounds(lowering);
  For loop;
  bounds.add([&] { return value_as(lowering, node.child(Field::Lower), counted); });
  bounds.add([&] { return value_as(lowering, node.child(Field::Upper), counted); });
  const Node step = node.child(Field::Step);
  if (step) {
    bounds.add([&] { return value_as(lowering, step, counted); });
  }
  const Node max = node.child(Field::Max);
  if (max) {
    bounds.add([&] { return value_as(lowering, max, types::TypeStore::kI64); });
  }
  loop.lower = bounds[0];
  loop.upper = bounds[1];
  if (step) {
    loop.step = bounds[2];
    loop.is_lenient = hides_faults(lowering, step, step);
  }
  if (max) {
    loop.max = bounds[step ? 3 : 2];
  }
  if (frame(lowering).draws.loop_draws(node.index())) {
    drawing_for_loop(lowering, node, std::move(loop));
    return;
  }
  loop.counter = declare(lowering, name, {type_at(lowering, name, counted).element, {}}, false);
  lowering.kernel.variables[loop.counter].kind = VariableKind::Counter;
  loop.body = loop_body(lowering, node.child(Field::Body), {});
  lowering.build.set_place(place_of(lowering, node));
  emit(lowering, std::move(loop));
  leave_after_loop(lowering, node.child(Field::Body));
}

/// Computes the condition of a loop into `continues`, which holds it, wherever an iteration ends.
static auto retest_into(FunctionLowering& lowering, VariableId continues, Node condition)
    -> std::function<void()> {
  return [&lowering, condition, continues] {
    const ExprId again = value(lowering, condition);
    lowering.build.set_place(place_of(lowering, condition));
    emit(lowering, Assign{continues, again});
  };
}

/// The end of a loop that tests a condition: `retest` recomputes it if it needs statements.
static void finish_while(FunctionLowering& lowering, Node node, While loop,
                         std::function<void()> retest) {
  const Node body = node.child(Field::Body);
  loop.body = loop_body(lowering, body, std::move(retest));
  lowering.build.set_place(place_of(lowering, node));
  emit(lowering, std::move(loop));
  leave_after_loop(lowering, body);
}

/// A condition that needs statements is kept in a variable, and found out again wherever an
/// iteration ends.
static void while_loop(FunctionLowering& lowering, Node node) {
  if (frame(lowering).draws.loop_draws(node.index())) {
    drawing_while_loop(lowering, node);
    return;
  }
  const Node condition = node.child(Field::Condition);
  While loop;
  Operands operands(lowering);
  if (const Node max = node.child(Field::Max)) {
    operands.add([&] { return value_as(lowering, max, types::TypeStore::kI64); });
  }
  const uint64_t n_emitted = lowering.n_emitted;
  operands.add([&] { return value(lowering, condition); });
  const Exprs evaluated = operands.take();
  if (evaluated.size() > 1) {
    loop.max = evaluated[0];
  }
  loop.condition = evaluated.back();
  std::function<void()> retest;
  if (lowering.n_emitted != n_emitted) {
    const VariableId continues = lowering.build.mutable_variable("continues", {engine::kBool, {}});
    emit(lowering, Assign{continues, loop.condition});
    loop.condition = lowering.build.read(continues);
    retest = retest_into(lowering, continues, condition);
  }
  finish_while(lowering, node, std::move(loop), std::move(retest));
}

static void do_loop(FunctionLowering& lowering, Node node) {
  if (frame(lowering).draws.loop_draws(node.index())) {
    drawing_while_loop(lowering, node);
    return;
  }
  const Node condition = node.child(Field::Condition);
  While loop{.condition = {}, .body = {}, .tests_last = true};
  if (const Node max = node.child(Field::Max)) {
    loop.max = value_as(lowering, max, types::TypeStore::kI64);
  }
  // Does it need statements? Those of a trial are forgotten.
  open(lowering);
  const uint64_t n_emitted = lowering.n_emitted;
  loop.condition = value(lowering, condition);
  const bool needs_statements = lowering.n_emitted != n_emitted;
  close(lowering);
  std::function<void()> retest;
  if (needs_statements) {
    const VariableId continues = lowering.build.mutable_variable("continues", {engine::kBool, {}});
    loop.condition = lowering.build.read(continues);
    retest = retest_into(lowering, continues, condition);
  }
  finish_while(lowering, node, std::move(loop), std::move(retest));
}

}  // namespace tacet::kernel
