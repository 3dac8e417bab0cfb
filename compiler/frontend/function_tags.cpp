#include "compiler/frontend/function_tags.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/types/queries.h"

namespace tacet::check {

using flow::Flow;
using flow::Flows;
using hir::BlockId;
using hir::Instruction;
using hir::Opcode;
using hir::PlaceKind;
using hir::ValueId;
using infer::SpecNodeId;
using infer::TermKind;
using names::LocalKind;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

namespace {

/// What a variable has that was given a value: others may read it, and it stays theirs.
constexpr Flows kFilled = {Flow::Usable, Flow::Usable, Flow::Saved};
constexpr Flows kEmpty = {Flow::Dead, Flow::Usable, Flow::Saved};

auto written(std::string_view val, std::string_view tmln, Flows flows) -> std::string {
  return fmt::format("[{}-{}, {}(tmln)-{}, none(sptl)-{}]", val, flow::flow_text(flows.val), tmln,
                     flow::flow_text(flows.tmln), flow::flow_text(flows.sptl));
}

auto written(std::string_view val, Flows flows) -> std::string {
  return written(val, "none", flows);
}

}  // namespace

FunctionTags::FunctionTags(query::Context& context, names::ItemId function)
    : interner_(&context.service<Interner>()),
      types_(&context.service<types::TypeStore>()),
      tree_(context.get<names::SyntaxOfItem>(function)),
      body_(context.get<BodyOf>(function)),
      function_(context.get<hir::FunctionOf>(function)),
      ssa_(context.get<hir::SsaOf>(function)),
      quotients_(context.get<infer::QuotientsOf>(function)),
      interface_(context.get<infer::InterfaceOf>(function)) {
  if (quotients_ && ssa_ && function_ && body_) {
    flows_ = context.get<flow::FlowsOf>(function);
    spec_ = context.get<infer::SpecificationOf>(quotients_->val)->graph;
    val_ = context.get<types::SignatureOf>(quotients_->val);
  }
}

auto FunctionTags::find(query::Context& context, names::ItemId function)
    -> std::optional<FunctionTags> {
  FunctionTags tags(context, function);
  const bool is_known = tags.spec_ && tags.flows_ && tags.interface_ && tags.val_;
  return is_known ? std::optional(std::move(tags)) : std::nullopt;
}

auto FunctionTags::value_of(uint32_t node) const -> std::optional<NamedValue> {
  auto in = [&](const hir::Function& function) {
    const auto use = std::find_if(function.names.begin(), function.names.end(),
                                  [&](const hir::NameUse& entry) { return entry.node == node; });
    return use == function.names.end() ? ValueId() : use->value;
  };
  const NamedValue found{in(*ssa_), in(*function_)};
  return found.value.has_value() && found.as_built.has_value() ? std::optional(found)
                                                               : std::nullopt;
}

auto FunctionTags::name_of(SpecNodeId node) const -> std::string {
  const Name name = spec_->nodes[node].name;
  return name.has_value() ? fmt::format(".{}", interner_->text(name)) : std::string();
}

/// `node(val.c)`; without the name where the node has none.
auto FunctionTags::node_text(ValueId value) const -> std::string {
  const SpecNodeId node = quotients_->of_value[value.index];
  return node.has_value() ? fmt::format("node(val{})", name_of(node)) : "none(val)";
}

auto FunctionTags::is_event(types::TypeId type) const -> bool {
  const types::TypeKind kind = (*types_)[type].kind;
  return kind == types::TypeKind::Encoder || kind == types::TypeKind::Future ||
         kind == types::TypeKind::Event;
}

/// The flow of a value that was loaded is that of the place, in front of the load.
auto FunctionTags::flows_of_read(ValueId as_built) const -> Flows {
  const hir::InstructionId id = function_->values[as_built].definition;
  const Instruction& definition = function_->instructions[id];
  if (definition.opcode != Opcode::Load) {
    return flows_->of_value(as_built);
  }
  for (uint32_t block = 0; block < function_->blocks.size(); ++block) {
    const auto& instructions = function_->blocks[BlockId{block}].instructions;
    const auto at = std::find(instructions.begin(), instructions.end(), id);
    if (at != instructions.end()) {
      return flows_->before(BlockId{block}, static_cast<size_t>(at - instructions.begin()),
                            definition.place);
    }
  }
  return flows_->of_value(as_built);
}

auto FunctionTags::of_name(Node node) const -> std::string {
  const names::Local* local = body_->names.local(node.index());
  if (local == nullptr) {
    return {};
  }
  const bool is_declared = local->node == node.index();
  const Node parent = is_declared && local->declaration != names::Local::kNone
                          ? Node(tree_.get(), local->declaration)
                          : Node();
  if (local->kind == LocalKind::Encoded) {
    return of_encoded(node);
  }
  const auto found = value_of(node.index());
  if (!found) {
    const bool is_empty_variable =
        is_declared && local->kind == LocalKind::Var && parent && !parent.child(Field::Value);
    return is_empty_variable ? written("none(val)", kEmpty) : std::string();
  }
  const types::TypeId type = ssa_->values[found->value].type;
  if (is_event(type)) {
    return written("none(val)", "node", flows_of_read(found->as_built));
  }
  if (is_declared && local->kind == LocalKind::Parameter) {
    const SpecNodeId quotient = quotients_->of_value[found->value.index];
    const bool is_input =
        quotient.has_value() && spec_->nodes[quotient].term.kind == TermKind::Input;
    return written(
        is_input ? fmt::format("input(val{})", name_of(quotient)) : node_text(found->value),
        flows_of_read(found->as_built));
  }
  const bool is_read = function_->definition_of(found->as_built).opcode == Opcode::Load &&
                       node.field() != Field::Target && !is_declared;
  // Through a reference, what it is about is written.
  const auto index = static_cast<size_t>(local - body_->names.locals.data());
  const bool is_lent =
      !is_declared && (*types_)[body_->local_types[index]].kind == types::TypeKind::Reference;
  return (local->kind == LocalKind::Var && !is_read) || is_lent
             ? content(found->value)
             : written(node_text(found->value), flows_of_read(found->as_built));
}

/// What a variable holds that was given `value`, or nothing.
auto FunctionTags::content(ValueId value) const -> std::string {
  const bool is_empty = flows_->of_value(value).val == Flow::Dead;
  return written(node_text(value), is_empty ? kEmpty : kFilled);
}

/// The results of an encoding are its destinations, in their order.
auto FunctionTags::of_encoded(Node destination) const -> std::string {
  const std::vector<Node> path = syntax::path_to(tree_->root(), destination.range().begin);
  const auto statement = std::find_if(path.begin(), path.end(),
                                      [](Node node) { return node.is(NodeKind::EncodeStatement); });
  if (statement == path.end()) {
    return {};
  }
  uint32_t ordinal = 0;
  for (const Node child : statement->children()) {
    if (child.is(NodeKind::EncodeDestination)) {
      if (child.range().contains(destination.range())) {
        break;
      }
      ++ordinal;
    }
  }
  for (const Instruction& instruction : ssa_->instructions.values()) {
    const bool encodes =
        instruction.opcode == Opcode::EncodeCopy || instruction.opcode == Opcode::EncodeCall;
    if (encodes && instruction.node == statement->index() && ordinal < instruction.results.size()) {
      return content(ssa_->result_of(instruction, ordinal));
    }
  }
  return {};
}

auto FunctionTags::of_result(Node result) const -> std::string {
  uint32_t ordinal = 0;
  const Node root = names::item_node(*tree_);
  for (const Node other : root.child(Field::Results).children()) {
    if (other == result) {
      break;
    }
    ordinal += other.is(NodeKind::Result) ? 1 : 0;
  }
  std::string val = "none(val)";
  types::TypeId type;
  size_t n_ports = 0;
  for (size_t i = 0; i < interface_->results.size(); ++i) {
    if (interface_->results[i].ordinal != ordinal) {
      continue;
    }
    ++n_ports;
    type = interface_->results[i].type;
    const infer::PortQuotient& quotient = interface_->result_quotients[i];
    if (quotient.kind == infer::PortQuotient::Kind::Named) {
      val = fmt::format("node(val.{})", interner_->text(quotient.name));
    } else if (quotient.kind == infer::PortQuotient::Kind::Ordinal &&
               quotient.number < val_->results.size()) {
      const Name name = val_->results[quotient.number].name;
      val = name.has_value() ? fmt::format("node(val.{})", interner_->text(name)) : "node(val)";
    }
  }
  if (n_ports != 1) {
    return {};
  }
  const Flows flows = flow::flows_of_type(*types_, type);
  return fmt::format("[{}, none(tmln)-{}, none(sptl)-{}]", val, flow::flow_text(flows.tmln),
                     flow::flow_text(flows.sptl));
}

auto FunctionTags::block_of_choice(Node choice) const -> BlockId {
  for (uint32_t i = 0; i < ssa_->blocks.size(); ++i) {
    const hir::Terminator& terminator = ssa_->blocks[BlockId{i}].terminator;
    if (terminator.kind == hir::TerminatorKind::Branch && terminator.node == choice.index()) {
      return {i};
    }
  }
  return {};
}

auto FunctionTags::of_choice(Node choice) const -> std::string {
  const BlockId block = block_of_choice(choice);
  if (!block.has_value()) {
    return {};
  }
  std::string val = "none(val)";
  size_t n_chosen = 0;
  for (hir::InstructionId id : ssa_->blocks[ssa_->blocks[block].terminator.join].instructions) {
    const Instruction& phi = ssa_->instructions[id];
    if (phi.opcode != Opcode::Phi) {
      break;
    }
    const SpecNodeId node = quotients_->of_value[phi.results.begin];
    if (node.has_value() && spec_->nodes[node].term.kind == TermKind::Select) {
      ++n_chosen;
      val = fmt::format("node(val{})", name_of(node));
    }
  }
  return fmt::format("[{}, none(sptl), none(tmln)]", n_chosen > 1 ? "node(val)" : val);
}

auto FunctionTags::merged_by(Node choice) const -> std::vector<Merged> {
  std::vector<Merged> merged;
  const BlockId block = block_of_choice(choice);
  if (!block.has_value()) {
    return merged;
  }
  const hir::Terminator& terminator = ssa_->blocks[block].terminator;
  // Blocks are in reverse post-order, so those of one way stand together.
  const BlockId later = std::max(terminator.targets[0], terminator.targets[1]);
  const hir::Block& join = ssa_->blocks[terminator.join];
  for (hir::InstructionId id : join.instructions) {
    const Instruction& phi = ssa_->instructions[id];
    if (phi.opcode != Opcode::Phi) {
      break;
    }
    if (!phi.place.has_value() || ssa_->places[phi.place].kind != PlaceKind::Variable ||
        !ssa_->places[phi.place].name.has_value()) {
      continue;
    }
    Merged entry;
    entry.variable = interner_->text(ssa_->places[phi.place].name);
    entry.behind = content(ssa_->result_of(phi));
    const auto operands = ssa_->operands_of(phi);
    for (size_t i = 0; i < operands.size() && i < join.predecessors.size(); ++i) {
      const bool is_later = !(join.predecessors[i] < later);
      const bool is_true = (terminator.targets[0] == later) == is_later;
      (is_true ? entry.on_true : entry.on_false) = content(operands[i]);
    }
    merged.push_back(std::move(entry));
  }
  return merged;
}

}  // namespace tacet::check
