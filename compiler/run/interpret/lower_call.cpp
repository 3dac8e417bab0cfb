#include <algorithm>

#include "compiler/front/names/arguments.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto callee_of(FunctionLowering& lowering, Node call) -> std::optional<Callee> {
  names::ItemId item = lowering.text.body->names.item(bare(call.child(Field::Function)).index());
  if (!item.has_value()) {
    return std::nullopt;
  }
  const bool is_host = lowering.program.kind_of(lowering.text.item) == names::ItemKind::Test ||
                       (!lowering.is_device && !is_specification(lowering));
  if (is_host) {
    if (std::optional<Callee> hosted = lowering.program.hosted_callee_of(item)) {
      return hosted;
    }
  }
  Callee callee = lowering.program.callee_of(
      item, lowering.is_device && is_under_secret(lowering, call) ? Faults::None : Faults::End);
  return callee.signature ? std::optional<Callee>(callee) : std::nullopt;
}

/// The values that a call passes, those of its grid first.
static auto arguments_of(const FunctionLowering& lowering, Node call, const Callee& callee)
    -> std::vector<Argument> {
  std::vector<Argument> result;
  Node grid = call.child(Field::Template);
  const names::ItemId called =
      lowering.text.body->names.item(bare(call.child(Field::Function)).index());
  if (grid.is(NodeKind::TemplateArguments) && !lowering.program.is_instance(called)) {
    for (Node dim : named_children(grid)) {
      // A grid that the callee gets otherwise is not checked.
      bool is_passed = result.size() < callee.n_dims;
      result.push_back({dim, type_of(lowering, bare(dim)),
                        is_passed ? callee.demand(result.size()) : Demand::Absent});
    }
  }
  const std::vector<Node> arguments = names::value_arguments(lowering.text.body->names, call);
  for (size_t i = 0; i < arguments.size() && i < callee.signature->parameters.size(); ++i) {
    result.push_back(
        {arguments[i], callee.signature->parameters[i].type, callee.demand(callee.n_dims + i)});
  }
  return result;
}

/// A suspended parameter of this specification that is passed on as it is.
static auto passed_on(const FunctionLowering& lowering, const Argument& argument)
    -> const Definition* {
  Node node = bare(argument.node);
  names::Resolution meaning = lowering.text.body->names.of(node.index());
  if (!meaning.is(names::Meaning::Local)) {
    return nullptr;
  }
  uint32_t definition = lowering.locals[meaning.index()].definition;
  if (definition == kNone || lowering.definitions[definition].suspended == kNone ||
      lowering.definitions[definition].type != argument.type) {
    return nullptr;
  }
  return &lowering.definitions[definition];
}

static auto is_cheap_name(const FunctionLowering& lowering, Node name) -> bool {
  names::Resolution meaning = lowering.text.body->names.of(name.index());
  if (!meaning.is(names::Meaning::Local)) {
    return static_integer(lowering, name).has_value();
  }
  const LocalState& state = lowering.locals[meaning.index()];
  return state.remote == kNone &&
         (state.definition == kNone || lowering.definitions[state.definition].is_known);
}

/// Can it be evaluated, needed or not, at little cost and without failing?
static auto is_cheap(const FunctionLowering& lowering, Node node) -> bool {
  node = bare(node);
  if (node.is(NodeKind::Integer) || node.is(NodeKind::Float) || node.is(NodeKind::Boolean)) {
    return true;
  }
  if (node.is(NodeKind::Identifier) || node.is(NodeKind::Dim)) {
    return is_cheap_name(lowering, node);
  }
  if (node.is(NodeKind::UnaryExpression)) {
    return cells(lowering, node) == 1 && is_cheap(lowering, node.child(Field::Operand));
  }
  if (!node.is(NodeKind::BinaryExpression)) {
    return false;
  }
  NodeKind operation = node.child(Field::Operator).kind();
  bool can_fail = operation == NodeKind::Slash || operation == NodeKind::Percent ||
                  operation == NodeKind::LessLess || operation == NodeKind::GreaterGreater ||
                  operation == NodeKind::GreaterGreaterGreater;
  return !can_fail && cells(lowering, node) == 1 && is_cheap(lowering, node.child(Field::Left)) &&
         is_cheap(lowering, node.child(Field::Right));
}

/// The cells that stand for an argument whose code is written later.
static auto suspend_argument(FunctionLowering& lowering, const Argument& argument) -> Slot {
  Slot cells = lowering.builder.allocate(kSuspensionCells);
  CodeLabel code = lowering.builder.new_label();
  lowering.builder.set_place(lowering.text.place(bare(argument.node)));
  lowering.builder.emit_jump(Opcode::Suspend, cells, code);
  lowering.pending.push_back({kNone, argument.node, argument.type, code, lowering.depth_of_loops});
  return cells;
}

/// True if an argument of a call would have to be evaluated in this frame later.
auto keeps_frame(const FunctionLowering& lowering, Node call, const Callee& callee) -> bool {
  std::vector<Argument> arguments = arguments_of(lowering, call, callee);
  return is_specification(lowering) &&
         std::any_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
           return argument.demand == Demand::Lazy && !is_cheap(lowering, argument.node) &&
                  passed_on(lowering, argument) == nullptr;
         });
}

void pass_arguments(FunctionLowering& lowering, Node call, const Callee& callee, Frame frame) {
  std::vector<PassedCells> passed;
  pass_rng(lowering, call, callee, passed);
  uint32_t at = callee.draws ? kRngCells : 0;
  for (const Argument& argument : arguments_of(lowering, call, callee)) {
    auto n = static_cast<uint32_t>(cells(lowering, argument.type));
    auto end = at + static_cast<uint32_t>(parameter_cells(argument.demand, n));
    bool is_by_need = is_specification(lowering) && argument.demand != Demand::Strict;
    if (is_by_need && argument.demand == Demand::Absent) {
      continue;
    }
    if (is_by_need && !is_cheap(lowering, argument.node)) {
      const Definition* own = frame == Frame::Ends ? passed_on(lowering, argument) : nullptr;
      if (own != nullptr) {
        passed.push_back({{own->suspended}, at, kSuspensionCells + n});
      } else {
        passed.push_back({suspend_argument(lowering, argument), at, kSuspensionCells});
      }
    } else {
      Slot slot = value_as(lowering, argument.node, argument.type);
      if (argument.demand == Demand::Lazy) {
        Slot settled = lowering.builder.allocate(1);
        lowering.builder.emit_constant(settled, kSettled);
        passed.push_back({settled, at, 1});
      }
      if (argument.demand != Demand::Absent) {
        passed.push_back({slot, end - n, n});
      }
    }
    at = end;
  }
  lowering.builder.outgoing(0, at);
  for (const PassedCells& argument : passed) {
    lowering.builder.emit_pass(argument.at, argument.slot, argument.n_cells);
  }
}

void emit_call(FunctionLowering& lowering, const Callee& callee) {
  lowering.builder.emit(callee.is_extern ? Opcode::CallExtern : Opcode::Call, {callee.index});
}

/// `Person(age, salary)`: the fields in a row.
static void construct(FunctionLowering& lowering, Node call, Slot target) {
  const std::vector<Node> given = named_children(call.child(Field::Arguments));
  const std::vector<types::RecordField> fields =
      record_fields(types(lowering), type_of(lowering, call));
  for (size_t i = 0; i < given.size() && i < fields.size(); ++i) {
    into_as(lowering, given[i], fields[i].type, target);
    target.index += static_cast<uint32_t>(cells(lowering, fields[i].type));
  }
}

void call(FunctionLowering& lowering, Node node, Slot target) {
  names::Resolution meaning =
      lowering.text.body->names.of(bare(node.child(Field::Function)).index());
  if (meaning.is(names::Meaning::Builtin)) {
    builtin(lowering, node, static_cast<names::Builtin>(meaning.index()), target);
    return;
  }
  const names::ItemId item =
      lowering.text.body->names.item(bare(node.child(Field::Function)).index());
  if (item.has_value() && lowering.program.kind_of(item) == names::ItemKind::Type) {
    construct(lowering, node, target);
    return;
  }
  std::optional<Callee> callee = callee_of(lowering, node);
  if (!callee) {
    unsupported(lowering, node, "a call of something that is not a function");
    return;
  }
  Scope scope(lowering.builder);
  pass_arguments(lowering, node, *callee, Frame::Waits);
  lowering.builder.set_place(lowering.text.place(node));
  emit_call(lowering, *callee);
  types::TypeId result = types::result_type(types(lowering), *callee->signature);
  auto n = static_cast<uint32_t>(cells(lowering, result));
  lowering.builder.emit_take(target, 0, n);
}

}  // namespace tacet::interpret
