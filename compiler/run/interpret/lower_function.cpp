#include <algorithm>
#include <cmath>

#include "compiler/core/syntax/block_tail.h"
#include "compiler/run/interpret/lower_debug.h"
#include "compiler/run/interpret/lowering.h"

namespace tacet::interpret {

using names::ItemKind;
using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;
using types::TypeKind;

FunctionLowering::FunctionLowering(ProgramLowering& program_, uint32_t function_, ItemText text_,
                                   Faults faults_)
    : program(program_),
      function(function_),
      text(std::move(text_)),
      own_item(text.item),
      faults(faults_),
      is_device(program_.kind_of(text.item) == ItemKind::Fn &&
                program_.signature_of(text.item)->is_device_function),
      builder(program_.program(), function_) {}

static auto takes_slices(const FunctionLowering& lowering) -> bool;
static void prepare_parameters(FunctionLowering& lowering);
static void check_bound(FunctionLowering& lowering, const types::SignatureParameter& parameter,
                        Slot slot);
static void lower_body(FunctionLowering& lowering);
static void lower_function_body(FunctionLowering& lowering, syntax::Node block);
static void return_block(FunctionLowering& lowering, syntax::Node block);
static auto return_definition(FunctionLowering& lowering, syntax::Node name) -> bool;
static auto return_call(FunctionLowering& lowering, syntax::Node call) -> bool;

auto lower(FunctionLowering& lowering) -> bool {
  Function& header = lowering.program.program().functions[lowering.function];
  header.entry = static_cast<uint32_t>(lowering.program.program().instructions.size());
  Node item = names::item_node(*lowering.text.tree);
  lowering.builder.set_place(lowering.text.place(item));
  lowering.locals.resize(lowering.text.body->names.locals.size());
  prepare_parameters(lowering);
  if (takes_slices(lowering)) {
    unsupported(lowering, item, "a slice");
  } else {
    lower_body(lowering);
  }
  finish_debug(lowering);
  lowering.builder.finish(lowering.first_memory, lowering.n_memories);
  return !lowering.builder.is_too_large();
}

auto lower_constant(FunctionLowering& lowering, types::TypeId wanted) -> bool {
  Function& header = lowering.program.program().functions[lowering.function];
  header.entry = static_cast<uint32_t>(lowering.program.program().instructions.size());
  header.n_result_cells = static_cast<uint32_t>(cells(lowering, wanted));
  Node item = names::item_node(*lowering.text.tree);
  lowering.builder.set_place(lowering.text.place(item));
  lowering.locals.resize(lowering.text.body->names.locals.size());
  Slot slot = lowering.builder.allocate(cells(lowering, wanted));
  into_as(lowering, item.child(Field::Value), wanted, slot);
  lowering.builder.emit(Opcode::Return,
                        {slot.index, static_cast<uint32_t>(cells(lowering, wanted))});
  lowering.builder.finish(0, 0);
  return !lowering.builder.is_too_large();
}

/// Values whose size no type says do not fit in a frame.
static auto takes_slices(const FunctionLowering& lowering) -> bool {
  std::shared_ptr<const types::Signature> signature =
      lowering.program.signature_of(lowering.text.item);
  auto is_slice = [&](const auto& part) {
    return types(lowering)[part.type].kind == TypeKind::Slice;
  };
  return std::any_of(signature->parameters.begin(), signature->parameters.end(), is_slice) ||
         std::any_of(signature->results.begin(), signature->results.end(), is_slice);
}

static void prepare_parameters(FunctionLowering& lowering) {
  Callee self = lowering.program.callee_of(lowering.text.item);
  lowering.result = types::result_type(types(lowering), *self.signature);
  if (self.draws) {
    lowering.elaboration = lowering.program.elaborate(lowering.text.item);
    lowering.rng = lowering.builder.allocate(kRngCells);
  }
  std::vector<Definition> parameters;
  for (uint32_t i = 0; i < self.n_dims + self.signature->parameters.size(); ++i) {
    Definition parameter;
    bool is_dim = i < self.n_dims;
    parameter.type =
        is_dim ? types::TypeStore::kI32 : self.signature->parameters[i - self.n_dims].type;
    if (self.demand(i) == Demand::Lazy) {
      parameter.suspended = lowering.builder.allocate(kSuspensionCells).index;
    }
    parameter.is_absent = self.demand(i) == Demand::Absent;
    if (!parameter.is_absent) {
      parameter.slot = lowering.builder.allocate(cells(lowering, parameter.type));
    }
    lowering.holds_reference_parameter |=
        !is_dim && holds_reference(types(lowering), parameter.type);
    parameters.push_back(parameter);
  }
  const std::vector<names::Local>& locals = lowering.text.body->names.locals;
  for (size_t i = 0; i < locals.size(); ++i) {
    uint32_t at = locals[i].kind == LocalKind::Dim         ? locals[i].ordinal
                  : locals[i].kind == LocalKind::Parameter ? self.n_dims + locals[i].ordinal
                                                           : kNone;
    if (at >= parameters.size()) {
      continue;
    }
    const Definition& parameter = parameters[at];
    lowering.locals[i].slot = parameter.slot;
    if (parameter.suspended != kNone) {
      lowering.locals[i].definition = static_cast<uint32_t>(lowering.definitions.size());
      lowering.definitions.push_back(parameter);
    }
    if (is_remote(types(lowering), parameter.type)) {
      lowering.locals[i].remote = gather_remote(lowering, parameter.type, lowering.locals[i].slot);
    }
    show_parameter(lowering, static_cast<uint32_t>(i), parameter,
                   at >= self.n_dims ? at - self.n_dims : kNone);
    const bool has_place = locals[i].node != names::Local::kNone;
    if (at >= self.n_dims && parameter.suspended == kNone && has_place) {
      lowering.builder.set_place(lowering.text.place(lowering.text.node(locals[i].node)));
      check_bound(lowering, self.signature->parameters[at - self.n_dims], parameter.slot);
    }
  }
}

/// Who calls must keep to what the head says: what follows relies on it, as fixes and devices do.
static void check_bound(FunctionLowering& lowering, const types::SignatureParameter& parameter,
                        Slot slot) {
  if (!parameter.bound || types(lowering)[parameter.type].kind != TypeKind::Value) {
    return;
  }
  ElementType type = element_type(types(lowering), parameter.type);
  if (type.kind == ElementKind::Bool) {
    type.kind = ElementKind::U8;  // which compares, and whose cells are the same
  }
  const auto emit_end = [&](Opcode opcode, Cell cell) {
    lowering.builder.emit(opcode, type,
                          {slot.index, static_cast<uint32_t>(cells(lowering, parameter.type)),
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
  if (const std::optional<uint64_t>& norm = parameter.bound->norm) {
    const auto width = types::norm_width(extents(types(lowering), parameter.type));
    lowering.builder.emit(Opcode::CheckNorm, type,
                          {slot.index, static_cast<uint32_t>(cells(lowering, parameter.type)),
                           static_cast<uint32_t>(*norm), static_cast<uint32_t>(*norm >> 32),
                           static_cast<uint32_t>(width)});
  }
}

static void lower_body(FunctionLowering& lowering) {
  Node item = names::item_node(*lowering.text.tree);
  const ItemKind kind = lowering.program.kind_of(lowering.text.item);
  if (kind == ItemKind::Val) {
    lower_specification(lowering, item.child(Field::Body));
  } else if (kind == ItemKind::Program) {
    return_value(lowering, lowering.text.tree->root().child(Field::Body));
  } else if (kind == ItemKind::Test) {
    lower_test(lowering, item.child(Field::Body));
  } else {
    lower_function_body(lowering, item.child(Field::Body));
  }
}

static void lower_function_body(FunctionLowering& lowering, Node block) {
  const std::vector<syntax::NodeData>& nodes = lowering.text.tree->nodes;
  for (uint32_t i = block.index(); i < block.subtree_end(); ++i) {
    Node node = lowering.text.node(i);
    lowering.takes_references |=
        nodes[i].kind == NodeKind::UnaryExpression && node.child(Field::Operator).is(NodeKind::Amp);
  }
  return_block(lowering, block);
}

static void return_block(FunctionLowering& lowering, Node block) {
  DebugScope scope(lowering);
  Node last = syntax::tail_of(block);
  bool gives_value = block.child(Field::Result) ||
                     (last && cells(lowering, lowering.result) > 0 && cells(lowering, last) > 0);
  for (Node child : block.children()) {
    if (syntax::is_named(child.kind()) && !(gives_value && child == last)) {
      statement(lowering, child);
    }
  }
  if (gives_value) {
    return_value(lowering, last);
    return;
  }
  // A function without results; or every path has returned before.
  mark_end(lowering, block);
  lowering.builder.set_place(lowering.text.place(block));
  Slot slot = lowering.builder.allocate(cells(lowering, lowering.result));
  lowering.builder.emit(Opcode::Zero,
                        {slot.index, static_cast<uint32_t>(cells(lowering, lowering.result))});
  return_slot(lowering, slot);
}

void return_value(FunctionLowering& lowering, Node node) {
  node = bare(node);
  if (node.is(NodeKind::Block)) {
    return_block(lowering, node);
    return;
  }
  Node alternative = node.child(Field::Alternative);
  if (alternative &&
      (node.is(NodeKind::IfExpression) || node.is(NodeKind::ConditionalExpression))) {
    mark_statement(lowering, node.is(NodeKind::IfExpression) ? node : Node());
    CodeLabel otherwise = lowering.builder.new_label();
    jump_unless_condition(lowering, node, otherwise);
    size_t known = lowering.known.size();
    return_value(lowering, node.child(Field::Consequence));
    forget_known(lowering, known);
    lowering.builder.bind(otherwise);
    return_value(lowering, alternative);
    forget_known(lowering, known);
    return;
  }
  mark_statement(lowering, node);
  if ((node.is(NodeKind::Identifier) && return_definition(lowering, node)) ||
      (node.is(NodeKind::CallExpression) && return_call(lowering, node))) {
    return;
  }
  Scope scope(lowering.builder);
  Slot slot = value_as(lowering, node, lowering.result);
  lowering.builder.set_place(lowering.text.place(node));
  return_slot(lowering, slot);
}

/// A definition that nothing else uses is the result itself.
static auto return_definition(FunctionLowering& lowering, Node name) -> bool {
  names::Resolution meaning = lowering.text.body->names.of(name.index());
  uint32_t at =
      meaning.is(names::Meaning::Local) ? lowering.locals[meaning.index()].definition : kNone;
  if (at == kNone || lowering.definitions[at].n_uses != 1 || lowering.definitions[at].is_known ||
      lowering.definitions[at].suspended != kNone ||
      lowering.definitions[at].type != lowering.result ||
      lowering.depth_of_demands >= kMaxDepthOfDemands) {
    return false;
  }
  ++lowering.depth_of_demands;
  return_value(lowering, lowering.definitions[at].value);
  --lowering.depth_of_demands;
  return true;
}

void return_slot(FunctionLowering& lowering, Slot slot) {
  uint32_t at = slot.index;
  for (types::TypeId part : parts(types(lowering), lowering.result)) {
    if (types(lowering)[part].kind == TypeKind::Reference) {
      lowering.builder.emit(Opcode::CheckReference, {at});
    }
    at += static_cast<uint32_t>(cells(lowering, part));
  }
  lowering.builder.emit(Opcode::Return,
                        {slot.index, static_cast<uint32_t>(cells(lowering, lowering.result))});
}

/// A call whose result is the function's own takes the place of its frame. Not where a reference
/// into the frame may be among the arguments.
static auto return_call(FunctionLowering& lowering, Node node) -> bool {
  if (lowering.takes_references || lowering.holds_reference_parameter ||
      type_of(lowering, node) != lowering.result) {
    return false;
  }
  std::optional<Callee> callee = callee_of(lowering, node);
  if (!callee || callee->is_extern ||
      types::result_type(types(lowering), *callee->signature) != lowering.result) {
    return false;
  }
  if (keeps_frame(lowering, node, *callee)) {
    return false;
  }
  Scope scope(lowering.builder);
  pass_arguments(lowering, node, *callee, Frame::Ends);
  lowering.builder.set_place(lowering.text.place(node));
  lowering.builder.emit(Opcode::TailCall, {callee->index});
  if (lowering.program.debug() != nullptr) {
    // What follows if the frame is kept (`keep_frames`).
    const uint64_t n = cells(lowering, lowering.result);
    const Slot results = lowering.builder.allocate(n);
    lowering.builder.emit_take(results, 0, static_cast<uint32_t>(n));
    lowering.builder.emit(Opcode::Return, {results.index, static_cast<uint32_t>(n)});
  }
  return true;
}

}  // namespace tacet::interpret
