#include <algorithm>
#include <cmath>

#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using names::ItemKind;
using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeKind;

FunctionLowering::FunctionLowering(ProgramLowering& program, uint32_t function, ItemText text,
                                   Faults faults)
    : program_(program),
      function_(function),
      text_(std::move(text)),
      faults_(faults),
      is_device_(program.kind_of(text_.item) == ItemKind::Fn &&
                 program.signature_of(text_.item)->is_device_function),
      builder_(program.program(), function) {}

auto FunctionLowering::lower() -> bool {
  Function& header = program_.program().functions[function_];
  header.entry = static_cast<uint32_t>(program_.program().instructions.size());
  Node item = names::item_node(*text_.tree);
  builder_.set_place(text_.place(item));
  locals_.resize(text_.body->names.locals.size());
  prepare_parameters();
  if (takes_slices()) {
    unsupported(item, "a slice");
  } else {
    lower_body();
  }
  builder_.finish(first_memory_, n_memories_);
  return !builder_.is_too_large();
}

auto FunctionLowering::lower_constant(types::TypeId wanted) -> bool {
  Function& header = program_.program().functions[function_];
  header.entry = static_cast<uint32_t>(program_.program().instructions.size());
  header.n_result_cells = static_cast<uint32_t>(cells(wanted));
  Node item = names::item_node(*text_.tree);
  builder_.set_place(text_.place(item));
  locals_.resize(text_.body->names.locals.size());
  Slot slot = builder_.allocate(cells(wanted));
  into_as(item.child(Field::Value), wanted, slot);
  builder_.emit(Opcode::Return, {slot.index, static_cast<uint32_t>(cells(wanted))});
  builder_.finish(0, 0);
  return !builder_.is_too_large();
}

/// Values whose size no type says do not fit in a frame.
auto FunctionLowering::takes_slices() const -> bool {
  std::shared_ptr<const types::Signature> signature = program_.signature_of(text_.item);
  auto is_slice = [&](const auto& part) { return types()[part.type].kind == TypeKind::Slice; };
  return std::any_of(signature->parameters.begin(), signature->parameters.end(), is_slice) ||
         std::any_of(signature->results.begin(), signature->results.end(), is_slice);
}

void FunctionLowering::prepare_parameters() {
  Callee self = program_.callee_of(text_.item);
  result_ = types::result_type(types(), *self.signature);
  if (self.draws) {
    elaboration_ = program_.elaborate(text_.item);
    rng_ = builder_.allocate(kRngCells);
  }
  std::vector<Definition> parameters;
  for (uint32_t i = 0; i < self.n_dims + self.signature->parameters.size(); ++i) {
    Definition parameter;
    bool is_dim = i < self.n_dims;
    parameter.type =
        is_dim ? types::TypeStore::kI32 : self.signature->parameters[i - self.n_dims].type;
    if (self.demand(i) == Demand::Lazy) {
      parameter.suspended = builder_.allocate(kSuspensionCells).index;
    }
    if (self.demand(i) != Demand::Absent) {
      parameter.slot = builder_.allocate(cells(parameter.type));
    }
    holds_reference_parameter_ |= !is_dim && holds_reference(types(), parameter.type);
    parameters.push_back(parameter);
  }
  const std::vector<names::Local>& locals = text_.body->names.locals;
  for (size_t i = 0; i < locals.size(); ++i) {
    uint32_t at = locals[i].kind == LocalKind::Dim         ? locals[i].ordinal
                  : locals[i].kind == LocalKind::Parameter ? self.n_dims + locals[i].ordinal
                                                           : kNone;
    if (at >= parameters.size()) {
      continue;
    }
    const Definition& parameter = parameters[at];
    locals_[i].slot = parameter.slot;
    if (parameter.suspended != kNone) {
      locals_[i].definition = static_cast<uint32_t>(definitions_.size());
      definitions_.push_back(parameter);
    }
    if (is_remote(types(), parameter.type)) {
      locals_[i].remote = gather_remote(parameter.type, locals_[i].slot);
    }
    const bool has_place = locals[i].node != names::Local::kNone;
    if (at >= self.n_dims && parameter.suspended == kNone && has_place) {
      builder_.set_place(text_.place(text_.node(locals[i].node)));
      check_bound(self.signature->parameters[at - self.n_dims], parameter.slot);
    }
  }
}

/// Who calls must keep to what the head says: what follows relies on it, as fixes and devices do.
void FunctionLowering::check_bound(const types::SignatureParameter& parameter, Slot slot) {
  if (!parameter.bound || types()[parameter.type].kind != TypeKind::Value) {
    return;
  }
  ElementType type = element_type(types(), parameter.type);
  if (type.kind == ElementKind::Bool) {
    type.kind = ElementKind::U8;  // which compares, and whose cells are the same
  }
  const auto emit_end = [&](Opcode opcode, Cell cell) {
    builder_.emit(opcode, type,
                  {slot.index, static_cast<uint32_t>(cells(parameter.type)),
                   static_cast<uint32_t>(cell), static_cast<uint32_t>(cell >> 32)});
  };
  const auto lower = static_cast<double>(parameter.bound->lower);
  const auto upper = static_cast<double>(parameter.bound->upper);
  if (type.kind == ElementKind::F32) {
    emit_end(Opcode::CheckLeast, cell_of_f32(static_cast<float>(lower)));
    emit_end(Opcode::CheckMost, cell_of_f32(std::nextafter(static_cast<float>(upper), -HUGE_VALF)));
  } else if (type.kind == ElementKind::F64) {
    emit_end(Opcode::CheckLeast, cell_of_f64(lower));
    emit_end(Opcode::CheckMost, cell_of_f64(std::nextafter(upper, -HUGE_VAL)));
  } else {
    emit_end(Opcode::CheckLeast, static_cast<Cell>(parameter.bound->lower));
    emit_end(Opcode::CheckMost, static_cast<Cell>(parameter.bound->upper - 1));
  }
}

void FunctionLowering::lower_body() {
  Node item = names::item_node(*text_.tree);
  const ItemKind kind = program_.kind_of(text_.item);
  if (kind == ItemKind::Val) {
    lower_specification(item.child(Field::Body));
  } else if (kind == ItemKind::Program) {
    return_value(text_.tree->root().child(Field::Body));
  } else {
    lower_function_body(item.child(Field::Body));
  }
}

void FunctionLowering::lower_function_body(Node block) {
  const std::vector<syntax::NodeData>& nodes = text_.tree->nodes;
  for (uint32_t i = block.index(); i < block.subtree_end(); ++i) {
    Node node = text_.node(i);
    takes_references_ |=
        nodes[i].kind == NodeKind::UnaryExpression && node.child(Field::Operator).is(NodeKind::Amp);
  }
  return_block(block);
}

/// The `if` or block at the end of `block` that gives its value, or null.
static auto last_value_statement(Node block) -> Node {
  Node last;
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind())) {
      last = child;
    }
  }
  return last.is(NodeKind::IfExpression) || last.is(NodeKind::Block) ? last : Node();
}

void FunctionLowering::return_block(Node block) {
  Node result = block.child(Field::Result);
  Node last = result ? result : last_value_statement(block);
  bool gives_value = result || (last && cells(result_) > 0 && cells(last) > 0);
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind()) && !(gives_value && child == last)) {
      statement(child);
    }
  }
  if (gives_value) {
    return_value(last);
    return;
  }
  // A function without results; or every path has returned before.
  builder_.set_place(text_.place(block));
  Slot slot = builder_.allocate(cells(result_));
  builder_.emit(Opcode::Zero, {slot.index, static_cast<uint32_t>(cells(result_))});
  return_slot(slot);
}

void FunctionLowering::return_value(Node node) {
  node = bare(node);
  if (node.is(NodeKind::Block)) {
    return_block(node);
    return;
  }
  Node alternative = node.child(Field::Alternative);
  if (alternative &&
      (node.is(NodeKind::IfExpression) || node.is(NodeKind::ConditionalExpression))) {
    CodeLabel otherwise = builder_.new_label();
    {
      Scope scope(builder_);
      Slot condition = value(node.child(Field::Condition));
      builder_.set_place(text_.place(node));
      builder_.emit_jump(Opcode::JumpUnless, condition, otherwise);
    }
    size_t known = known_.size();
    return_value(node.child(Field::Consequence));
    forget_known(known);
    builder_.bind(otherwise);
    return_value(alternative);
    forget_known(known);
    return;
  }
  if ((node.is(NodeKind::Identifier) && return_definition(node)) ||
      (node.is(NodeKind::CallExpression) && return_call(node))) {
    return;
  }
  Scope scope(builder_);
  Slot slot = value_as(node, result_);
  builder_.set_place(text_.place(node));
  return_slot(slot);
}

/// A definition that nothing else uses is the result itself.
auto FunctionLowering::return_definition(Node name) -> bool {
  names::Resolution meaning = text_.body->names.of(name.index());
  uint32_t at = meaning.is(names::Meaning::Local) ? locals_[meaning.index()].definition : kNone;
  if (at == kNone || definitions_[at].n_uses != 1 || definitions_[at].is_known ||
      definitions_[at].suspended != kNone || definitions_[at].type != result_ ||
      depth_of_demands_ >= kMaxDepthOfDemands) {
    return false;
  }
  ++depth_of_demands_;
  return_value(definitions_[at].value);
  --depth_of_demands_;
  return true;
}

void FunctionLowering::return_slot(Slot slot) {
  uint32_t at = slot.index;
  for (types::TypeId part : parts(types(), result_)) {
    if (types()[part].kind == TypeKind::Reference) {
      builder_.emit(Opcode::CheckReference, {at});
    }
    at += static_cast<uint32_t>(cells(part));
  }
  builder_.emit(Opcode::Return, {slot.index, static_cast<uint32_t>(cells(result_))});
}

/// A call whose result is the function's own takes the place of its frame. Not where a reference
/// into the frame may be among the arguments.
auto FunctionLowering::return_call(Node node) -> bool {
  if (takes_references_ || holds_reference_parameter_ || type(node) != result_) {
    return false;
  }
  std::optional<Callee> callee = callee_of(node);
  if (!callee || callee->is_extern || types::result_type(types(), *callee->signature) != result_) {
    return false;
  }
  if (keeps_frame(node, *callee)) {
    return false;
  }
  Scope scope(builder_);
  pass_arguments(node, *callee, Frame::Ends);
  builder_.set_place(text_.place(node));
  builder_.emit(Opcode::TailCall, {callee->index});
  return true;
}

}  // namespace tacet::interpret
