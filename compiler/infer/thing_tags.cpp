#include "compiler/infer/thing_tags.h"

#include <optional>
#include <utility>

#include "compiler/infer/class_members.h"
#include "compiler/types/queries.h"

namespace tacet::infer {

using hir::Instruction;
using hir::Opcode;
using hir::ValueId;
using syntax::Field;
using syntax::Node;
using syntax::NodeKind;

static auto none(Flow flow) -> DimensionTag {
  DimensionTag tag;
  tag.kind = DimensionTag::Kind::None;
  tag.flow = flow;
  return tag;
}

ThingTags::ThingTags(query::Context& context, const FunctionFacts& facts)
    : facts_(facts),
      function_(facts.function),
      quotients_(facts.quotients),
      types_(context.service<types::TypeStore>()),
      signature_(context.get<types::SignatureOf>(facts.function.item)),
      is_at_once_(is_at_once(context, signature_->tmln)) {}

auto ThingTags::of_node(SpecNodeId node, Flow flow) const -> DimensionTag {
  DimensionTag tag = none(flow);
  if (node.has_value()) {
    tag.kind = DimensionTag::Kind::Node;
    tag.nodes = {node};
  }
  return tag;
}

auto ThingTags::of_timeline(Flow flow) const -> DimensionTag {
  DimensionTag tag = none(flow);
  tag.kind = is_at_once_ ? DimensionTag::Kind::None : DimensionTag::Kind::Deduced;
  return tag;
}

auto ThingTags::triple(SpecNodeId node, Flow flow, Flow spatial) const -> TagTriple {
  return {of_node(node, flow), of_timeline(Flow::Usable), none(spatial)};
}

auto ThingTags::is_reference(types::TypeId type) const -> bool {
  return types_[type].kind == types::TypeKind::Reference;
}

auto ThingTags::of_value(ValueId value) const -> TagTriple {
  const bool is_saved = value.has_value() && is_reference(function_.values[value].type);
  return triple(value.has_value() ? quotients_.of_value[value.index] : SpecNodeId(), Flow::Usable,
                is_saved ? Flow::Saved : Flow::Usable);
}

auto ThingTags::of_content(ValueId value) const -> TagTriple {
  const bool is_empty =
      value.has_value() && function_.definition_of(value).opcode == Opcode::Undefined;
  return triple(value.has_value() ? quotients_.of_value[value.index] : SpecNodeId(),
                is_empty ? Flow::Dead : Flow::Usable, Flow::Saved);
}

auto ThingTags::of_empty() const -> TagTriple {
  return triple({}, Flow::Dead, Flow::Saved);
}

auto ThingTags::of_handle() const -> TagTriple {
  return triple({}, Flow::Usable, Flow::Usable);
}

auto ThingTags::of_unknown() const -> TagTriple {
  TagTriple tags = of_handle();
  tags.val.kind = DimensionTag::Kind::Deduced;
  return tags;
}

auto ThingTags::of_unknown_reference() const -> TagTriple {
  TagTriple tags = triple({}, Flow::Usable, Flow::Saved);
  tags.val.kind = DimensionTag::Kind::Deduced;
  return tags;
}

auto ThingTags::of_operation(hir::InstructionId id) const -> TagTriple {
  const Instruction& instruction = function_.instructions[id];
  TagTriple result{none(Flow::Unsaid), of_timeline(Flow::Unsaid), none(Flow::Unsaid)};
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

auto ThingTags::of_branch(hir::BlockId block) const -> TagTriple {
  TagTriple result{none(Flow::Unsaid), of_timeline(Flow::Unsaid), none(Flow::Unsaid)};
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

static auto flow_of(Node tags, Flow otherwise) -> Flow {
  for (Node tag : tags.children()) {
    Node node = tag.is(NodeKind::Tag) ? tag.child(Field::Node) : Node();
    if (node && node.child(Field::Dimension).text() == "val") {
      const std::string_view text = tag.child(Field::Flow).text();
      otherwise = text == "-dead"     ? Flow::Dead
                  : text == "-saved"  ? Flow::Saved
                  : text == "-need"   ? Flow::Need
                  : text == "-usable" ? Flow::Usable
                                      : otherwise;
    }
  }
  return otherwise;
}

/// Which encoder or future of its timeline a function takes or gives is for its head to say.
static void keep_timeline(Node tags, TagTriple& result) {
  for (Node tag : tags.children()) {
    Node node = tag.is(NodeKind::Tag) ? tag.child(Field::Node) : Node();
    if (node && node.child(Field::Dimension).text() == "tmln") {
      result.tmln.written = tag.text();
    }
  }
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

auto ThingTags::of_parameter(uint32_t ordinal, Node parameter) const -> TagTriple {
  TagTriple tags =
      triple({}, flow_of(parameter.child(Field::Tags), Flow::Usable),
             is_reference(signature_->parameters[ordinal].type) ? Flow::Saved : Flow::Usable);
  if (const auto port = single_port(facts_.interface.parameters, ordinal)) {
    const PortQuotient& quotient = facts_.interface.parameter_quotients[*port];
    if (quotient.kind == PortQuotient::Kind::Ordinal) {
      tags.val.kind = DimensionTag::Kind::Input;
      tags.val.nodes = {facts_.spec.inputs[quotient.number]};
    } else if (quotient.kind == PortQuotient::Kind::Named) {
      tags.val = of_node(facts_.spec.find(quotient.name), tags.val.flow);
    }
  }
  keep_timeline(parameter.child(Field::Tags), tags);
  return tags;
}

auto ThingTags::of_result(uint32_t ordinal, Node given) const -> TagTriple {
  TagTriple tags =
      triple({}, flow_of(given.child(Field::Tags), Flow::Unsaid),
             is_reference(signature_->results[ordinal].type) ? Flow::Saved : Flow::Usable);
  if (const auto port = single_port(facts_.interface.results, ordinal)) {
    const PortQuotient& quotient = facts_.interface.result_quotients[*port];
    if (quotient.kind == PortQuotient::Kind::Ordinal &&
        quotient.number < facts_.spec.outputs.size()) {
      tags.val.kind = DimensionTag::Kind::Output;
      tags.val.output = quotient.number;
    } else if (quotient.kind == PortQuotient::Kind::Named) {
      tags.val = of_node(facts_.spec.find(quotient.name), tags.val.flow);
    }
  }
  keep_timeline(given.child(Field::Tags), tags);
  return tags;
}

}  // namespace tacet::infer
