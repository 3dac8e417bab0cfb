#include <algorithm>

#include "compiler/spec/infer/timeline_deduction.h"

namespace tacet::infer {

using hir::Instruction;
using hir::InstructionId;
using hir::Opcode;
using hir::ValueId;

auto TimelineDeduction::node_of_port(const PortQuotient& port, bool is_parameter) const
    -> SpecNodeId {
  if (port.kind == PortQuotient::Kind::Named) {
    return timeline_.find(port.name);
  }
  const std::vector<SpecNodeId>& nodes = is_parameter ? timeline_.inputs : timeline_.outputs;
  return port.kind == PortQuotient::Kind::Ordinal && port.number < nodes.size() ? nodes[port.number]
                                                                                : SpecNodeId();
}

/// False if the encoders and futures of the head are not those of the timeline.
auto TimelineDeduction::check_ports() -> bool {
  const bool fit_in =
      check_ports(interface_.parameters, interface_.parameter_quotients, timeline_.inputs, true);
  const bool fit_out =
      check_ports(interface_.results, interface_.result_quotients, timeline_.outputs, false);
  return fit_in && fit_out;
}

auto TimelineDeduction::check_ports(std::span<const hir::Port> ports,
                                    std::span<const PortQuotient> quotients,
                                    std::span<const SpecNodeId> nodes, bool are_parameters)
    -> bool {
  const size_t n_before = result_.problems.size();
  auto add = [&](Kind kind, SpecNodeId wanted, uint32_t at) {
    TimelineProblem problem;
    problem.kind = kind;
    problem.wanted = wanted;
    problem.node = at;
    problem.is_about_input = are_parameters;
    result_.problems.push_back(std::move(problem));
  };
  std::vector<bool> is_given(nodes.size());
  for (size_t i = 0; i < quotients.size(); ++i) {
    const PortQuotient& port = quotients[i];
    const SpecNodeId wanted = node_of_port(port, are_parameters);
    if (port.kind == PortQuotient::Kind::Surplus) {
      add(Kind::SurplusPort, {}, port.node);
    } else if (wanted.has_value() &&
               types_[timeline_.nodes[wanted].type].kind != types_[ports[i].type].kind) {
      add(Kind::OtherPort, wanted, port.node);
    }
    if (port.kind == PortQuotient::Kind::Ordinal && port.number < nodes.size()) {
      is_given[port.number] = true;
    }
    // A function with ports of other nodes does a part of the work.
    is_part_ = is_part_ || port.kind == PortQuotient::Kind::Named;
  }
  for (size_t i = interface_.first_number; i < nodes.size() && !is_part_; ++i) {
    if (!is_given[i]) {
      add(Kind::MissingPort, nodes[i], hir::kNoNode);
      break;
    }
  }
  return result_.problems.size() == n_before;
}

void TimelineDeduction::read_tags() {
  auto& interner = context_.service<Interner>();
  for (const hir::TagUse& use : function_.tags) {
    Tag tag = read_tag(syntax::Node(&tree_, use.node), "tmln", interner);
    if (tag.kind == Tag::Kind::Deduced || use.subject == hir::TagSubject::Branch) {
      continue;
    }
    (use.subject == hir::TagSubject::Value ? tag_of_value_ : tag_of_instruction_)
        .insert_or_assign(use.index, std::move(tag));
  }
  for (const hir::Block& block : function_.blocks.values()) {
    for (auto id = block.instructions.begin(); id != block.instructions.end(); ++id) {
      const Instruction& instruction = function_.instructions[*id];
      if (instruction.opcode == Opcode::Annotate && instruction.operands.size() == 0 &&
          !instruction.place.has_value()) {
        if (is_behind_step(std::span(id, block.instructions.end()))) {
          is_behind_step_.insert(id->index);
        }
        is_part_ = is_part_ || says_part(*id);
      }
    }
  }
}

/// Is a step in front of the annotation in the text that is behind it in `block`, since both belong
/// to one part?
auto TimelineDeduction::is_behind_step(std::span<const InstructionId> block) const -> bool {
  const Instruction& annotation = function_.instructions[block[0]];
  for (InstructionId id : block.subspan(1)) {
    const Instruction& step = function_.instructions[id];
    const bool is_step = step.opcode == Opcode::EncodeBegin || step.opcode == Opcode::Submit ||
                         step.opcode == Opcode::Await;
    if (step.opcode == Opcode::Call || (is_step && step.node < annotation.node)) {
      return is_step;
    }
  }
  return false;
}

/// Does it say that the coordinator is at an event? Where the whole ends, every function may say.
auto TimelineDeduction::says_part(InstructionId id) const -> bool {
  const Instruction& annotation = function_.instructions[id];
  const syntax::Node node(&tree_, annotation.node);
  const Tag tag = read_tag(node, "tmln", context_.service<Interner>());
  const bool is_of_end =
      annotation.is_at_entry && node.child(syntax::Field::Key).text() == "output";
  return tag.kind == Tag::Kind::Node && !is_behind_step_.contains(id.index) &&
         !(is_of_end && !timeline_.outputs.empty() &&
           timeline_.find(tag.names[0]) == timeline_.outputs[0]);
}

auto TimelineDeduction::tag_of(ValueId value) const -> const Tag* {
  auto found = tag_of_value_.find(value.index);
  return found != tag_of_value_.end() && found->second.kind == Tag::Kind::Node ? &found->second
                                                                               : nullptr;
}

/// Does `tag` name `step`, or what it gives?
auto TimelineDeduction::says(const Tag& tag, SpecNodeId step) const -> bool {
  return tag.kind != Tag::Kind::Node ||
         std::all_of(tag.names.begin(), tag.names.end(), [&](Name name) {
           const SpecNodeId said = timeline_.find(name);
           if (!said.has_value()) {
             return false;
           }
           const SpecNode& data = timeline_.nodes[said];
           return said == step || (data.term.kind == TermKind::Extract && data.children[0] == step);
         });
}

void TimelineDeduction::wrong_tag(const Tag& tag, SpecNodeId found) {
  for (const TimelineProblem& told : result_.problems) {
    if (told.kind == Kind::WrongTag && told.node == tag.node) {
      return;
    }
  }
  TimelineProblem problem;
  problem.kind = Kind::WrongTag;
  problem.wanted = timeline_.find(tag.names[0]);
  problem.found = found;
  problem.node = tag.node;
  fail(std::move(problem));
}

void TimelineDeduction::parameter(InstructionId id) {
  const Instruction& instruction = function_.instructions[id];
  const ValueId value = function_.result_of(instruction);
  if (!is_handle(value) || instruction.number >= interface_.parameter_quotients.size()) {
    return;
  }
  const PortQuotient& port = interface_.parameter_quotients[instruction.number];
  settle(value, node_of_port(port, true), port.node);
  if (port.kind != PortQuotient::Kind::None) {
    arrives(value);
  }
}

/// The encoders and futures that the function gives back.
void TimelineDeduction::results() {
  const hir::Block& last = function_.blocks[{static_cast<uint32_t>(function_.blocks.size() - 1)}];
  std::span<const ValueId> given = function_.operands_of(last.terminator);
  for (size_t i = 0; i < given.size() && i < interface_.result_quotients.size(); ++i) {
    if (is_handle(given[i])) {
      settle(given[i], node_of_port(interface_.result_quotients[i], false), last.terminator.node);
    }
  }
}

}  // namespace tacet::infer
