#include "compiler/spec/infer/known_tags.h"

#include <optional>
#include <utility>

#include "compiler/front/types/queries.h"
#include "compiler/spec/infer/class_members.h"
#include "compiler/spec/infer/timeline_order.h"

namespace tacet::infer {

using flow::Flow;
using hir::Instruction;
using hir::Opcode;
using hir::ValueId;

static auto none(std::optional<Flow> flow) -> DimensionTag {
  DimensionTag tag;
  tag.kind = DimensionTag::Kind::None;
  tag.flow = flow;
  return tag;
}

KnownTags::KnownTags(query::Context& context, const FunctionFacts& facts)
    : facts_(facts),
      function_(facts.function),
      quotients_(facts.quotients),
      types_(context.service<types::TypeStore>()),
      signature_(context.get<types::SignatureOf>(facts.function.item)),
      timeline_interface_(context.get<TimelineInterfaceOf>(facts.function.item)),
      port_flows_(context.get<flow::PortFlowsOf>(facts.function.item)),
      is_at_once_(is_at_once(context, signature_->tmln)) {
  begin({0});
}

void KnownTags::begin(hir::BlockId block) {
  event_ = facts_.events != nullptr ? facts_.events->event_at_begin[block.index] : SpecNodeId();
}

void KnownTags::pass(hir::InstructionId id) {
  event_ = facts_.events != nullptr ? facts_.events->event_after[id.index] : SpecNodeId();
}

auto KnownTags::is_reference(types::TypeId type) const -> bool {
  return types_[type].kind == types::TypeKind::Reference;
}

auto KnownTags::is_handle(ValueId value) const -> bool {
  return value.has_value() && infer::is_handle(types_, function_.values[value].type);
}

auto KnownTags::timeline_node(ValueId handle) const -> SpecNodeId {
  return facts_.events != nullptr && handle.has_value() ? facts_.events->of_value[handle.index]
                                                        : SpecNodeId();
}

auto KnownTags::of_node(SpecNodeId node, Flow flow) const -> DimensionTag {
  DimensionTag tag = none(flow);
  if (node.has_value()) {
    tag.kind = DimensionTag::Kind::Node;
    tag.nodes = {node};
  }
  return tag;
}

auto KnownTags::in_time(SpecNodeId node) const -> DimensionTag {
  DimensionTag tag = of_node(node, Flow::Usable);
  if (!node.has_value() && !is_at_once_) {
    tag.kind = DimensionTag::Kind::Deduced;
  }
  return tag;
}

auto KnownTags::triple(SpecNodeId node, Flow flow, Flow spatial) const -> TagTriple {
  return {of_node(node, flow), in_time(event_), none(spatial)};
}

auto KnownTags::of_value(ValueId value) const -> TagTriple {
  if (!value.has_value()) {
    return of_record();
  }
  const flow::Flows flows = facts_.flows != nullptr
                                ? facts_.flows->of_value(value)
                                : flow::flows_of_type(types_, function_.values[value].type);
  TagTriple tags = triple(quotients_.of_value[value.index], flows.val, flows.sptl);
  if (is_handle(value)) {
    tags.tmln = in_time(timeline_node(value));
  }
  return tags;
}

auto KnownTags::of_content(ValueId value) const -> TagTriple {
  TagTriple tags = of_value(value);
  tags.sptl.flow = is_handle(value) ? Flow::Usable : Flow::Saved;
  return tags;
}

auto KnownTags::of_field(ValueId value, ValueId handle) const -> TagTriple {
  TagTriple tags = of_content(value);
  tags.tmln = in_time(timeline_node(handle));
  return tags;
}

auto KnownTags::of_empty() const -> TagTriple {
  return triple({}, Flow::Dead, Flow::Saved);
}

auto KnownTags::of_record() const -> TagTriple {
  return triple({}, Flow::Usable, Flow::Usable);
}

auto KnownTags::of_unknown() const -> TagTriple {
  TagTriple tags = of_record();
  tags.val.kind = DimensionTag::Kind::Deduced;
  return tags;
}

auto KnownTags::of_unknown_reference() const -> TagTriple {
  TagTriple tags = triple({}, Flow::Usable, Flow::Saved);
  tags.val.kind = DimensionTag::Kind::Deduced;
  return tags;
}

/// What an operation is in the timeline: the values that a step gives, or none.
auto KnownTags::of_step(hir::InstructionId id) const -> DimensionTag {
  DimensionTag tag = none({});
  const Instruction& instruction = function_.instructions[id];
  if (facts_.events == nullptr) {
    tag.kind = is_at_once_ ? DimensionTag::Kind::None : DimensionTag::Kind::Deduced;
    return tag;
  }
  if (instruction.opcode == Opcode::EncodeCopy || instruction.opcode == Opcode::EncodeCall) {
    tag = in_time(timeline_node(function_.operands_of(instruction)[0]));
    tag.flow = {};
    return tag;
  }
  const SpecNodeId step = facts_.events->of_instruction[id.index];
  if (step.has_value()) {
    const SpecGraph& timeline = *facts_.timeline;
    SpecNodeId result = result_of(timeline, step, 0);
    while (result.has_value()) {
      tag.nodes.push_back(result);
      result = result_of(timeline, step, static_cast<uint32_t>(tag.nodes.size()));
    }
    if (tag.nodes.empty()) {
      tag.nodes = {step};
    }
  } else if (instruction.opcode == Opcode::Call) {
    // The timeline does not know the call, but what it gives back may be in it.
    for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
      if (const SpecNodeId given = timeline_node({v}); given.has_value() && is_handle({v})) {
        tag.nodes.push_back(given);
      }
    }
  } else {
    tag.kind = DimensionTag::Kind::Deduced;
  }
  tag.kind = tag.nodes.empty() ? tag.kind : DimensionTag::Kind::Node;
  return tag;
}

auto KnownTags::of_operation(hir::InstructionId id) const -> TagTriple {
  const Instruction& instruction = function_.instructions[id];
  TagTriple result{none({}), of_step(id), none({})};
  std::vector<SpecNodeId> nodes;
  bool is_whole = true;
  for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
    if (!hir::is_value(types_, function_.values[ValueId{v}].type)) {
      continue;
    }
    nodes.push_back(quotients_.of_value[v]);
    is_whole = is_whole && nodes.back().has_value();
  }
  if (!nodes.empty()) {
    result.val.kind = is_whole ? DimensionTag::Kind::Node : DimensionTag::Kind::Deduced;
    result.val.nodes = is_whole ? std::move(nodes) : std::vector<SpecNodeId>();
  } else if (quotients_.of_call[id.index].has_value()) {
    result.val.kind = DimensionTag::Kind::Deduced;
  }
  return result;
}

auto KnownTags::of_branch(hir::BlockId block) const -> TagTriple {
  TagTriple result{none({}), none({}), none({})};
  uint32_t n_chosen = 0;
  const hir::BlockId join = function_.blocks[block].terminator.join;
  for (hir::InstructionId id : function_.blocks[join].instructions) {
    const Instruction& phi = function_.instructions[id];
    if (phi.opcode != Opcode::Phi) {
      break;
    }
    const SpecNodeId node = quotients_.of_value[phi.results.begin];
    if (node.has_value() && facts_.spec.nodes[node].term.kind == TermKind::Select) {
      ++n_chosen;
      result.val.kind = DimensionTag::Kind::Node;
      result.val.nodes = {node};
    }
  }
  if (n_chosen > 1) {
    result.val = {};
  }
  return result;
}

/// Which of the ports belongs to parameter or result `ordinal`, if it is a value of its own.
static auto single_port(const std::vector<hir::Port>& ports, uint32_t ordinal)
    -> std::optional<size_t> {
  std::optional<size_t> found;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].ordinal == ordinal) {
      if (found) {
        return std::nullopt;
      }
      found = i;
    }
  }
  return found;
}

/// The first of the ports of parameter or result `ordinal`: of an encoder or future its handle.
static auto first_port(const std::vector<hir::Port>& ports, uint32_t ordinal)
    -> std::optional<size_t> {
  for (size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].ordinal == ordinal) {
      return i;
    }
  }
  return std::nullopt;
}

/// What an encoder or future of the head is in the timeline.
auto KnownTags::of_port(const PortQuotient& port, bool is_parameter) const -> DimensionTag {
  DimensionTag tag = in_time({});
  const SpecGraph& timeline = *facts_.timeline;
  switch (port.kind) {
    case PortQuotient::Kind::None:
    case PortQuotient::Kind::Dropped:
      return none(Flow::Usable);
    case PortQuotient::Kind::Named:
      return in_time(timeline.find(port.name));
    case PortQuotient::Kind::Ordinal:
      if (is_parameter && port.number < timeline.inputs.size()) {
        tag.kind = DimensionTag::Kind::Input;
        tag.nodes = {timeline.inputs[port.number]};
      } else if (!is_parameter && port.number < timeline.outputs.size()) {
        tag.kind = DimensionTag::Kind::Output;
        tag.output = port.number;
      }
      return tag;
    case PortQuotient::Kind::NoValue:
    case PortQuotient::Kind::Surplus:
      return tag;
  }
  return tag;
}

auto KnownTags::of_parameter(uint32_t ordinal) const -> TagTriple {
  const types::TypeId type = signature_->parameters[ordinal].type;
  flow::Flows flows = flow::flows_of_type(types_, type);
  if (const auto port = single_port(facts_.interface.parameters, ordinal);
      port && port_flows_ && *port < port_flows_->parameters.size()) {
    flows = port_flows_->parameters[*port];
  }
  TagTriple tags = triple({}, flows.val, flows.sptl);
  if (const auto port = single_port(facts_.interface.parameters, ordinal)) {
    const PortQuotient& quotient = facts_.interface.parameter_quotients[*port];
    if (quotient.kind == PortQuotient::Kind::Ordinal) {
      tags.val.kind = DimensionTag::Kind::Input;
      tags.val.nodes = {facts_.spec.inputs[quotient.number]};
    } else if (quotient.kind == PortQuotient::Kind::Named) {
      tags.val = of_node(facts_.spec.find(quotient.name), tags.val.flow.value_or(Flow::Usable));
    }
  }
  if (facts_.events == nullptr) {
    return tags;
  }
  if (infer::is_handle(types_, type)) {
    if (const auto port = first_port(timeline_interface_->parameters, ordinal)) {
      tags.tmln = of_port(timeline_interface_->parameter_quotients[*port], true);
    }
  } else if (!facts_.timeline->inputs.empty()) {
    tags.tmln.kind = DimensionTag::Kind::Input;
    tags.tmln.nodes = {facts_.timeline->inputs[0]};
  }
  return tags;
}

/// The event at the end of the function.
auto KnownTags::last_event() const -> SpecNodeId {
  const hir::BlockId last{static_cast<uint32_t>(function_.blocks.size() - 1)};
  const std::vector<hir::InstructionId>& instructions = function_.blocks[last].instructions;
  return instructions.empty() ? facts_.events->event_at_begin[last.index]
                              : facts_.events->event_after[instructions.back().index];
}

auto KnownTags::of_result(uint32_t ordinal) const -> TagTriple {
  const types::TypeId type = signature_->results[ordinal].type;
  TagTriple tags = triple({}, Flow::Usable, flow::flows_of_type(types_, type).sptl);
  const auto port = single_port(facts_.interface.results, ordinal);
  // That a result holds something needs no word.
  const bool is_empty =
      port && port_flows_ && !port_flows_->gives_value(static_cast<uint32_t>(*port));
  tags.val.flow = is_empty ? std::optional(Flow::Dead) : std::nullopt;
  if (port) {
    const PortQuotient& quotient = facts_.interface.result_quotients[*port];
    if (quotient.kind == PortQuotient::Kind::Ordinal &&
        quotient.number < facts_.spec.outputs.size()) {
      tags.val.kind = DimensionTag::Kind::Output;
      tags.val.output = quotient.number;
    } else if (quotient.kind == PortQuotient::Kind::Named) {
      const SpecNodeId named = facts_.spec.find(quotient.name);
      tags.val.kind = named.has_value() ? DimensionTag::Kind::Node : DimensionTag::Kind::None;
      tags.val.nodes = named.has_value() ? std::vector{named} : std::vector<SpecNodeId>();
    }
  }
  if (facts_.events == nullptr) {
    return tags;
  }
  if (infer::is_handle(types_, type)) {
    if (const auto handle = first_port(timeline_interface_->results, ordinal)) {
      tags.tmln = of_port(timeline_interface_->result_quotients[*handle], false);
    }
    return tags;
  }
  tags.tmln = in_time(last_event());
  const std::vector<SpecNodeId>& outputs = facts_.timeline->outputs;
  if (!outputs.empty() && last_event() == outputs[0]) {
    tags.tmln.kind = DimensionTag::Kind::Output;
    tags.tmln.nodes.clear();
    tags.tmln.output = 0;
  }
  return tags;
}

}  // namespace tacet::infer
