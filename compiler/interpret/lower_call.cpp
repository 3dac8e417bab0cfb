#include "compiler/interpret/lowering.h"

namespace tacet::interpret {

using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

auto FunctionLowering::arguments_of(Node call) const -> std::vector<Node> {
  std::vector<Node> result;
  for (Node child : call.child(Field::Arguments).children()) {
    if (syntax::is_named(child.kind())) {
      result.push_back(child);
    }
  }
  return result;
}

auto FunctionLowering::callee_of(Node call) -> std::optional<Callee> {
  names::ItemId item = text_.body->names.item(bare(call.child(Field::Function)).index());
  if (!item.has_value()) {
    return std::nullopt;
  }
  Callee callee = program_.callee_of(item);
  return callee.signature ? std::optional<Callee>(callee) : std::nullopt;
}

void FunctionLowering::pass_arguments(Node call, const Callee& callee) {
  struct Passed {
    Slot slot;
    uint64_t n_cells;
  };
  std::vector<Passed> passed;
  // A kernel's grid is evaluated even where nobody reads it: it may fail.
  std::vector<Slot> dims;
  Node grid = call.child(Field::Template);
  for (Node child : grid.is(NodeKind::TemplateArguments) ? grid.children() : Node().children()) {
    if (syntax::is_named(child.kind())) {
      dims.push_back(value(child));
    }
  }
  for (uint32_t i = 0; i < callee.n_dims; ++i) {
    if (i < dims.size()) {
      passed.push_back({dims[i], 1});
    }
  }
  std::vector<Node> arguments = arguments_of(call);
  for (size_t i = 0; i < arguments.size() && i < callee.signature->parameters.size(); ++i) {
    types::TypeId wanted = callee.signature->parameters[i].type;
    passed.push_back({value_as(arguments[i], wanted), cells(wanted)});
  }
  builder_.outgoing(0, 0);
  uint32_t at = 0;
  for (const Passed& argument : passed) {
    auto n = static_cast<uint32_t>(argument.n_cells);
    builder_.emit_move(builder_.outgoing(at, n), argument.slot, n);
    at += n;
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
    unsupported(node, "a call of something that is no function");
    return;
  }
  Scope scope(builder_);
  pass_arguments(node, *callee);
  builder_.set_place(text_.place(node));
  emit_call(*callee);
  types::TypeId result = types::result_type(types(), *callee->signature);
  auto n = static_cast<uint32_t>(cells(result));
  Slot given = builder_.outgoing(0, n);
  builder_.emit_move(target, given, n);
}

}  // namespace tacet::interpret
