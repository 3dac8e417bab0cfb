#include <algorithm>

#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto FunctionLowering::callee_of(Node call) -> std::optional<Callee> {
  names::ItemId item = text_.body->names.item(bare(call.child(Field::Function)).index());
  if (!item.has_value()) {
    return std::nullopt;
  }
  Callee callee =
      program_.callee_of(item, is_device_ && is_under_secret(call) ? Faults::None : Faults::End);
  return callee.signature ? std::optional<Callee>(callee) : std::nullopt;
}

/// The values that a call passes, those of its grid first.
auto FunctionLowering::arguments_of(Node call, const Callee& callee) const
    -> std::vector<Argument> {
  std::vector<Argument> result;
  Node grid = call.child(Field::Template);
  if (grid.is(NodeKind::TemplateArguments)) {
    for (Node dim : named_children(grid)) {
      // Of a grid that the callee gets another way nothing is looked at.
      bool is_passed = result.size() < callee.n_dims;
      result.push_back(
          {dim, type(bare(dim)), is_passed ? callee.demand(result.size()) : Demand::Absent});
    }
  }
  std::vector<Node> arguments = named_children(call.child(Field::Arguments));
  for (size_t i = 0; i < arguments.size() && i < callee.signature->parameters.size(); ++i) {
    result.push_back(
        {arguments[i], callee.signature->parameters[i].type, callee.demand(callee.n_dims + i)});
  }
  return result;
}

/// A suspended parameter of this specification that is passed on as it is.
auto FunctionLowering::passed_on(const Argument& argument) const -> const Definition* {
  Node node = bare(argument.node);
  names::Resolution meaning = text_.body->names.of(node.index());
  if (!meaning.is(names::Meaning::Local)) {
    return nullptr;
  }
  uint32_t definition = locals_[meaning.index()].definition;
  if (definition == kNone || definitions_[definition].suspended == kNone ||
      definitions_[definition].type != argument.type) {
    return nullptr;
  }
  return &definitions_[definition];
}

auto FunctionLowering::is_cheap_name(Node name) const -> bool {
  names::Resolution meaning = text_.body->names.of(name.index());
  if (!meaning.is(names::Meaning::Local)) {
    return static_integer(name).has_value();
  }
  const LocalState& state = locals_[meaning.index()];
  return state.remote == kNone &&
         (state.definition == kNone || definitions_[state.definition].is_known);
}

auto FunctionLowering::is_cheap(Node node) const -> bool {
  node = bare(node);
  if (node.is(NodeKind::Integer) || node.is(NodeKind::Float) || node.is(NodeKind::Boolean)) {
    return true;
  }
  if (node.is(NodeKind::Identifier) || node.is(NodeKind::Dim)) {
    return is_cheap_name(node);
  }
  if (node.is(NodeKind::UnaryExpression)) {
    return cells(node) == 1 && is_cheap(node.child(Field::Operand));
  }
  if (!node.is(NodeKind::BinaryExpression)) {
    return false;
  }
  NodeKind operation = node.child(Field::Operator).kind();
  bool can_fail = operation == NodeKind::Slash || operation == NodeKind::Percent ||
                  operation == NodeKind::LessLess || operation == NodeKind::GreaterGreater ||
                  operation == NodeKind::GreaterGreaterGreater;
  return !can_fail && cells(node) == 1 && is_cheap(node.child(Field::Left)) &&
         is_cheap(node.child(Field::Right));
}

/// The cells that stand for an argument whose code is written later.
auto FunctionLowering::suspend(const Argument& argument) -> Slot {
  Slot cells = builder_.allocate(kSuspensionCells);
  CodeLabel code = builder_.new_label();
  builder_.set_place(text_.place(bare(argument.node)));
  builder_.emit_jump(Opcode::Suspend, cells, code);
  pending_.push_back({kNone, argument.node, argument.type, code, depth_of_loops_});
  return cells;
}

/// True if an argument of a call would have to be evaluated in this frame later.
auto FunctionLowering::keeps_frame(Node call, const Callee& callee) const -> bool {
  std::vector<Argument> arguments = arguments_of(call, callee);
  return is_specification() &&
         std::any_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
           return argument.demand == Demand::Lazy && !is_cheap(argument.node) &&
                  passed_on(argument) == nullptr;
         });
}

void FunctionLowering::pass_arguments(Node call, const Callee& callee, Frame frame) {
  std::vector<PassedCells> passed;
  pass_rng(call, callee, passed);
  uint32_t at = callee.draws ? kRngCells : 0;
  for (const Argument& argument : arguments_of(call, callee)) {
    auto n = static_cast<uint32_t>(cells(argument.type));
    auto end = at + static_cast<uint32_t>(parameter_cells(argument.demand, n));
    bool is_by_need = is_specification() && argument.demand != Demand::Strict;
    if (is_by_need && argument.demand == Demand::Absent) {
      continue;
    }
    if (is_by_need && !is_cheap(argument.node)) {
      const Definition* own = frame == Frame::Ends ? passed_on(argument) : nullptr;
      if (own != nullptr) {
        passed.push_back({{own->suspended}, at, kSuspensionCells + n});
      } else {
        passed.push_back({suspend(argument), at, kSuspensionCells});
      }
    } else {
      Slot slot = value_as(argument.node, argument.type);
      if (argument.demand == Demand::Lazy) {
        Slot settled = builder_.allocate(1);
        builder_.emit_constant(settled, kSettled);
        passed.push_back({settled, at, 1});
      }
      if (argument.demand != Demand::Absent) {
        passed.push_back({slot, end - n, n});
      }
    }
    at = end;
  }
  builder_.outgoing(0, at);
  for (const PassedCells& argument : passed) {
    builder_.emit_pass(argument.at, argument.slot, argument.n_cells);
  }
}

void FunctionLowering::emit_call(const Callee& callee) {
  builder_.emit(callee.is_extern ? Opcode::CallExtern : Opcode::Call, {callee.index});
}

void FunctionLowering::call(Node node, Slot target) {
  names::Resolution meaning = text_.body->names.of(bare(node.child(Field::Function)).index());
  if (meaning.is(names::Meaning::Builtin)) {
    builtin(node, static_cast<names::Builtin>(meaning.index()), target);
    return;
  }
  std::optional<Callee> callee = callee_of(node);
  if (!callee) {
    unsupported(node, "a call of something that is not a function");
    return;
  }
  Scope scope(builder_);
  pass_arguments(node, *callee, Frame::Waits);
  builder_.set_place(text_.place(node));
  emit_call(*callee);
  types::TypeId result = types::result_type(types(), *callee->signature);
  auto n = static_cast<uint32_t>(cells(result));
  builder_.emit_take(target, 0, n);
}

}  // namespace tacet::interpret
