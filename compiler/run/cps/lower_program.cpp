#include <fmt/format.h>

#include <algorithm>

#include "compiler/core/syntax/bare.h"
#include "compiler/front/hir/pattern.h"
#include "compiler/run/cps/call_graph.h"
#include "compiler/run/cps/lower_formula.h"
#include "compiler/run/cps/lowering.h"
#include "compiler/run/interpret/type_layout.h"
#include "compiler/spec/infer/spec_graph.h"

namespace tacet::cps {

using names::ItemId;
using names::ItemKind;

auto ProgramLowering::type(types::TypeId type, TypeKind value_kind) -> TypeId {
  const types::Type& data = source_types()[type];
  Type result;
  result.kind = value_kind;
  switch (data.kind) {
    case types::TypeKind::Value:
      break;
    case types::TypeKind::Reference:
      result.kind = TypeKind::Reference;
      type = data.element;
      break;
    case types::TypeKind::Encoder:
      result.kind = TypeKind::Encoder;
      break;
    case types::TypeKind::Future:
      result.kind = TypeKind::Future;
      break;
    case types::TypeKind::Event:
      result.kind = TypeKind::Event;
      break;
    case types::TypeKind::BufferSpace:
      result.kind = TypeKind::BufferSpace;
      break;
    case types::TypeKind::Error:
    case types::TypeKind::Slice:
    case types::TypeKind::Record:
    case types::TypeKind::Tuple:
    case types::TypeKind::RngState:
    case types::TypeKind::Array:
      break;
  }
  if (source_types()[type].kind == types::TypeKind::Value) {
    result.element = interpret::element_type(source_types(), type);
    result.shape = interpret::extents(source_types(), type);
  }
  return this->type(result);
}

auto ProgramLowering::class_name(ItemId item) -> NameId {
  if (is_coordinator(item)) {
    const auto signature = snapshot_.signature(item);
    item = signature->val.has_value() ? signature->val : item;
  }
  const auto members = snapshot_.equivalence_class(item);
  return item_name(members ? members->item : item);
}

auto ProgramLowering::place(FileRange range) -> uint32_t {
  std::vector<FileRange>& places = lowered_.places;
  if (places.empty() || !(places.back() == range)) {
    places.push_back(range);
  }
  return static_cast<uint32_t>(places.size() - 1);
}

auto ProgramLowering::is_coordinator(ItemId item) const -> bool {
  const auto signature = snapshot_.signature(item);
  return signature && signature->kind == ItemKind::Fn && !signature->is_device_function;
}

/// Items of other files may have the name of one of this; an item that is being typed may have
/// none.
auto ProgramLowering::unique_name(ItemId item) -> NameId {
  const auto written = snapshot_.item_key(item).name;
  const std::string plain(written.has_value() ? text(written) : "_");
  std::string name = plain;
  for (int i = 2; !used_names_.emplace(std::pair(snapshot_.item_key(item).kind, name)).second;
       ++i) {
    name = fmt::format("{}'{}", plain, i);
  }
  return this->name(name);
}

auto ProgramLowering::function_of(ItemId item) -> FunctionId {
  auto [at, is_new] = functions_.try_emplace(item.index);
  if (is_new) {
    const auto signature = snapshot_.signature(item);
    Function function;
    function.name = unique_name(item);
    function.n_dims = signature ? signature->n_dims : 0;
    function.draws = draws(item);
    at->second = program().functions.add(function);
    lowered_.function_items.push_back(item);
  }
  return at->second;
}

auto ProgramLowering::kernel_of(ItemId item) -> KernelId {
  auto [at, is_new] = kernels_.try_emplace(item.index);
  if (!is_new) {
    return at->second;
  }
  const auto signature = snapshot_.signature(item);
  if (is_coordinator(item)) {
    function_of(item);  // a machine of its own runs it
  }
  Kernel kernel;
  kernel.name = unique_name(item);
  kernel.class_name = class_name(item);
  kernel.device = signature->device;
  kernel.draws = draws(item);
  for (const types::SignatureParameter& parameter : signature->parameters) {
    kernel.parameters.push_back(type(parameter.type));
  }
  for (const types::SignatureResult& result : signature->results) {
    kernel.results.push_back(type(result.type));
  }
  lowered_.kernel_items.push_back(item);
  return at->second = program().kernels.add(std::move(kernel));
}

static auto node_kind(infer::TermKind kind) -> NodeKind {
  switch (kind) {
    case infer::TermKind::Input:
      return NodeKind::Input;
    case infer::TermKind::Dimension:
      return NodeKind::Dimension;
    case infer::TermKind::Literal:
      return NodeKind::Literal;
    case infer::TermKind::Constant:
      return NodeKind::Constant;
    case infer::TermKind::Unary:
      return NodeKind::Unary;
    case infer::TermKind::Binary:
      return NodeKind::Binary;
    case infer::TermKind::Cast:
      return NodeKind::Cast;
    case infer::TermKind::Select:
      return NodeKind::Select;
    case infer::TermKind::Call:
      return NodeKind::Call;
    case infer::TermKind::Extract:
      return NodeKind::Extract;
    case infer::TermKind::Array:
      return NodeKind::Array;
    case infer::TermKind::Index:
      return NodeKind::Index;
    case infer::TermKind::Pattern:
      return NodeKind::Formula;
    case infer::TermKind::EncodeEvent:
      return NodeKind::EncodeEvent;
    case infer::TermKind::SubmitEvent:
      return NodeKind::SubmitEvent;
    case infer::TermKind::SyncEvent:
      return NodeKind::SyncEvent;
    case infer::TermKind::Opaque:
      return NodeKind::Opaque;
  }
  return NodeKind::Opaque;
}

auto ProgramLowering::spec_of(ItemId val) -> SpecId {
  auto [at, is_new] = specs_.try_emplace(val.index);
  if (!is_new) {
    return at->second;
  }
  const auto specification = get<infer::SpecificationOf>(val);
  if (!specification || !specification->graph) {
    return {};
  }
  const infer::SpecGraph& graph = *specification->graph;
  Spec spec;
  spec.kind = snapshot_.item_key(val).kind == ItemKind::Tmln ? SpecKind::Timeline : SpecKind::Value;
  spec.name = unique_name(val);
  spec.class_name = class_name(val);
  for (const infer::SpecNode& given : graph.nodes.values()) {
    Node node;
    node.kind = node_kind(given.term.kind);
    node.op = given.term.op;
    node.number = given.term.number;
    if (node.kind == NodeKind::Call || node.kind == NodeKind::Constant) {
      node.text = item_name(given.term.item);
    } else if (node.kind == NodeKind::Literal) {
      node.text = name(given.term.text);
    }
    if (node.kind == NodeKind::Formula) {
      const names::ItemTree tree = snapshot_.tree(val);
      const syntax::Node text(tree.get(), given.node);
      FormulaLowering lowering(*this, val, FormulaSite::Specification,
                               hir::pattern_operands(text, snapshot_.body(val)->names));
      if (std::optional<Formula> formula = lowering.lower(text)) {
        node.formula = program().formulas.add(std::move(*formula));
      } else {
        node.kind = NodeKind::Opaque;
      }
    }
    node.type = type(given.type.has_value() ? given.type : types::TypeStore::kError);
    node.name = name(given.name);
    for (infer::SpecNodeId child : given.children) {
      node.children.push_back({child.index});
    }
    spec.nodes.add(std::move(node));
  }
  for (infer::SpecNodeId input : graph.inputs) {
    spec.inputs.push_back({input.index});
  }
  for (infer::SpecNodeId output : graph.outputs) {
    spec.outputs.push_back({output.index});
  }
  return at->second = program().specs.add(std::move(spec));
}

void ProgramLowering::add_pipeline(ItemId pipeline, ItemId function) {
  program().pipelines.push_back({item_name(pipeline), function_of(function)});
}

void ProgramLowering::collect_calls(FunctionId function) {
  const auto graph = get<hir::FunctionOf>(lowered_.function_items[function.index]);
  if (!graph) {
    return;
  }
  for (const hir::Instruction& instruction : graph->instructions.values()) {
    if (instruction.opcode == hir::Opcode::Call && is_coordinator(instruction.item)) {
      ++calls_[{function.index, function_of(instruction.item).index}];
    }
    if (instruction.opcode == hir::Opcode::Pattern || instruction.opcode == hir::Opcode::Update) {
      collect_inner_calls(lowered_.function_items[function.index], instruction.node);
    }
  }
}

/// Functions that array expressions call are run by a machine of their own, which nobody can
/// interrupt: such a call closes no circle.
void ProgramLowering::collect_inner_calls(ItemId caller, uint32_t node) {
  const names::ItemTree tree = snapshot_.tree(caller);
  const check::BodyPtr body = snapshot_.body(caller);
  const syntax::Node root(tree.get(), node);
  for (uint32_t i = root.index(); i < root.subtree_end(); ++i) {
    const syntax::Node call(tree.get(), i);
    if (!call.is(syntax::NodeKind::CallExpression)) {
      continue;
    }
    const ItemId callee =
        body->names.item(syntax::bare(call.child(syntax::Field::Function)).index());
    if (callee.has_value() && is_coordinator(callee)) {
      function_of(callee);
    }
  }
}

auto ProgramLowering::run() -> Lowered {
  for (uint32_t i = 0; i < program().functions.size(); ++i) {
    collect_calls({i});
  }
  CallGraph graph;
  graph.n_functions = static_cast<uint32_t>(program().functions.size());
  for (const auto& [edge, n_calls] : calls_) {
    graph.edges.push_back({edge.first, edge.second, n_calls});
  }
  for (uint32_t edge : yield_edges(graph)) {
    yields_.insert({graph.edges[edge].caller, graph.edges[edge].callee});
  }
  for (uint32_t i = 0; i < program().functions.size(); ++i) {
    FunctionLowering lowering(*this, {i}, lowered_.function_items[i]);
    lower_function(lowering);
  }
  skip_joins(program());
  return std::move(lowered_);
}

auto lower(const program::FrontendSnapshot& snapshot, std::span<const ItemId> entries) -> Lowered {
  ProgramLowering program(snapshot);
  for (ItemId entry : entries) {
    program.add(entry);
  }
  return program.run();
}

auto lower_file(const program::FrontendSnapshot& snapshot, FileId file) -> Lowered {
  ProgramLowering program(snapshot);
  const auto items = snapshot.items(file);
  for (const names::FileItem& item : items->items) {
    if (program.is_coordinator(item.id)) {
      program.add(item.id);
    }
  }
  for (const names::FileItem& item : items->items) {
    if (snapshot.item_key(item.id).kind != ItemKind::Pipeline) {
      continue;
    }
    const names::ItemTree tree = snapshot.tree(item.id);
    const syntax::Node entry = names::item_node(*tree).child(syntax::Field::Entry);
    const ItemId function = snapshot.body(item.id)->names.item(entry.index());
    if (function.has_value() && program.is_coordinator(function)) {
      program.add_pipeline(item.id, function);
    }
  }
  return program.run();
}

}  // namespace tacet::cps
