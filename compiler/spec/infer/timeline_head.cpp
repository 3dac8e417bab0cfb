#include <algorithm>

#include "compiler/spec/infer/timeline_deduction.h"

namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;

static auto check_ports(TimelineDeduction& deduction, std::span<const hir::Port> ports,
                        std::span<const PortQuotient> quotients, std::span<const SpecNodeId> nodes,
                        bool are_parameters) -> bool;
static auto is_behind_step(const TimelineDeduction& deduction,
                           std::span<const hir::InstructionId> block) -> bool;
static auto says_part(const TimelineDeduction& deduction, hir::InstructionId id) -> bool;

auto node_of_port(const TimelineDeduction& deduction, const PortQuotient& port, bool is_parameter)
    -> SpecNodeId {
  if (port.kind == PortQuotient::Kind::Named) {
    return deduction.timeline.find(port.name);
  }
  const std::vector<SpecNodeId>& nodes =
      is_parameter ? deduction.timeline.inputs : deduction.timeline.outputs;
  return port.kind == PortQuotient::Kind::Ordinal && port.number < nodes.size() ? nodes[port.number]
                                                                                : SpecNodeId();
}

/// False if the encoders and futures of the head are not those of the timeline.
auto check_ports(TimelineDeduction& deduction) -> bool {
  const bool fit_in =
      check_ports(deduction, deduction.interface.parameters,
                  deduction.interface.parameter_quotients, deduction.timeline.inputs, true);
  const bool fit_out =
      check_ports(deduction, deduction.interface.results, deduction.interface.result_quotients,
                  deduction.timeline.outputs, false);
  return fit_in && fit_out;
}

static auto check_ports(TimelineDeduction& deduction, std::span<const hir::Port> ports,
                        std::span<const PortQuotient> quotients, std::span<const SpecNodeId> nodes,
                        bool are_parameters) -> bool {
  const size_t n_before = deduction.result.problems.size();
  auto add = [&](ProblemKind kind, SpecNodeId wanted, uint32_t at) {
    TimelineProblem problem;
    problem.kind = kind;
    problem.wanted = wanted;
    problem.node = at;
    problem.is_about_input = are_parameters;
    deduction.result.problems.push_back(std::move(problem));
  };
  std::vector<bool> is_given(nodes.size());
  for (size_t i = 0; i < quotients.size(); ++i) {
    const PortQuotient& port = quotients[i];
    const SpecNodeId wanted = node_of_port(deduction, port, are_parameters);
    if (port.kind == PortQuotient::Kind::Surplus) {
      add(ProblemKind::SurplusPort, {}, port.node);
    } else if (wanted.has_value() && deduction.types[deduction.timeline.nodes[wanted].type].kind !=
                                         deduction.types[ports[i].type].kind) {
      add(ProblemKind::OtherPort, wanted, port.node);
    }
    if (port.kind == PortQuotient::Kind::Ordinal && port.number < nodes.size()) {
      is_given[port.number] = true;
    }
    // A function with ports of other nodes does a part of the work.
    deduction.is_part = deduction.is_part || port.kind == PortQuotient::Kind::Named;
  }
  for (size_t i = deduction.interface.first_number; i < nodes.size() && !deduction.is_part; ++i) {
    if (!is_given[i]) {
      add(ProblemKind::MissingPort, nodes[i], hir::kNoNode);
      break;
    }
  }
  return deduction.result.problems.size() == n_before;
}

void read_tags(TimelineDeduction& deduction) {
  auto& interner = deduction.context.service<Interner>();
  for (const hir::TagUse& use : deduction.function.tags) {
    Tag tag = read_tag(syntax::Node(&deduction.tree, use.node), "tmln", interner);
    if (tag.kind == Tag::Kind::Deduced || use.subject == hir::TagSubject::Branch) {
      continue;
    }
    (use.subject == hir::TagSubject::Value ? deduction.tag_of_value : deduction.tag_of_instruction)
        .insert_or_assign(use.index, std::move(tag));
  }
  for (const hir::Block& block : deduction.function.blocks.values()) {
    for (auto id = block.instructions.begin(); id != block.instructions.end(); ++id) {
      const Instruction& instruction = deduction.function.instructions[*id];
      if (instruction.opcode == Opcode::Annotate && instruction.operands.size() == 0 &&
          !instruction.place.has_value()) {
        if (is_behind_step(deduction, std::span(id, block.instructions.end()))) {
          deduction.is_behind_step.insert(id->index);
        }
        deduction.is_part = deduction.is_part || says_part(deduction, *id);
      }
    }
  }
}

/// Is a step in front of the annotation in the text that is behind it in `block`, since both belong
/// to one part?
static auto is_behind_step(const TimelineDeduction& deduction, std::span<const InstructionId> block)
    -> bool {
  const Instruction& annotation = deduction.function.instructions[block[0]];
  for (InstructionId id : block.subspan(1)) {
    const Instruction& step = deduction.function.instructions[id];
    const bool is_step = step.opcode == Opcode::EncodeBegin || step.opcode == Opcode::Submit ||
                         step.opcode == Opcode::Await;
    if (step.opcode == Opcode::Call || (is_step && step.node < annotation.node)) {
      return is_step;
    }
  }
  return false;
}

/// Does it say that the coordinator is at an event? Where the whole ends, every function may say.
static auto says_part(const TimelineDeduction& deduction, InstructionId id) -> bool {
  const Instruction& annotation = deduction.function.instructions[id];
  const syntax::Node node(&deduction.tree, annotation.node);
  const Tag tag = read_tag(node, "tmln", deduction.context.service<Interner>());
  const bool is_of_end =
      annotation.is_at_entry && node.child(syntax::Field::Key).text() == "output";
  return tag.kind == Tag::Kind::Node && !deduction.is_behind_step.contains(id.index) &&
         !(is_of_end && !deduction.timeline.outputs.empty() &&
           deduction.timeline.find(tag.names[0]) == deduction.timeline.outputs[0]);
}

auto tag_of(const TimelineDeduction& deduction, ValueId value) -> const Tag* {
  auto found = deduction.tag_of_value.find(value.index);
  return found != deduction.tag_of_value.end() && found->second.kind == Tag::Kind::Node
             ? &found->second
             : nullptr;
}

/// Does `tag` name `step`, or what it gives?
auto says(const TimelineDeduction& deduction, const Tag& tag, SpecNodeId step) -> bool {
  return tag.kind != Tag::Kind::Node ||
         std::all_of(tag.names.begin(), tag.names.end(), [&](Name name) {
           const SpecNodeId said = deduction.timeline.find(name);
           if (!said.has_value()) {
             return false;
           }
           const SpecNode& data = deduction.timeline.nodes[said];
           return said == step || (data.term.kind == TermKind::Extract && data.children[0] == step);
         });
}

void wrong_tag(TimelineDeduction& deduction, const Tag& tag, SpecNodeId found) {
  for (const TimelineProblem& problem_there : deduction.result.problems) {
    if (problem_there.kind == ProblemKind::WrongTag && problem_there.node == tag.node) {
      return;
    }
  }
  TimelineProblem problem;
  problem.kind = ProblemKind::WrongTag;
  problem.wanted = deduction.timeline.find(tag.names[0]);
  problem.found = found;
  problem.node = tag.node;
  fail(deduction, std::move(problem));
}

void parameter(TimelineDeduction& deduction, InstructionId id) {
  const Instruction& instruction = deduction.function.instructions[id];
  const ValueId value = deduction.function.result_of(instruction);
  if (!is_handle(deduction, value) ||
      instruction.number >= deduction.interface.parameter_quotients.size()) {
    return;
  }
  const PortQuotient& port = deduction.interface.parameter_quotients[instruction.number];
  settle(deduction, value, node_of_port(deduction, port, true), port.node);
  if (port.kind != PortQuotient::Kind::None) {
    arrives(deduction, value);
  }
}

/// The encoders and futures that the function gives back.
void results(TimelineDeduction& deduction) {
  const hir::Block& last =
      deduction.function.blocks[{static_cast<uint32_t>(deduction.function.blocks.size() - 1)}];
  std::span<const ValueId> given = deduction.function.operands_of(last.terminator);
  for (size_t i = 0; i < given.size() && i < deduction.interface.result_quotients.size(); ++i) {
    if (is_handle(deduction, given[i])) {
      settle(deduction, given[i],
             node_of_port(deduction, deduction.interface.result_quotients[i], false),
             last.terminator.node);
    }
  }
}

}  // namespace tacet::infer
