#include <algorithm>

#include "compiler/spec/infer/deduction.h"

namespace tacet::infer {

using hir::Instruction;
using hir::Opcode;
using hir::ValueId;

void Deduction::seed() {
  seed_parameters();
  seed_missing_parameters();
  seed_tags();
  propagate();  // a tag that contradicts what it stands at is told there
  seed_results();
}

void Deduction::seed_parameters() {
  for (hir::InstructionId id : function_.blocks[hir::BlockId{0}].instructions) {
    const Instruction& instruction = function_.instructions[id];
    if (instruction.opcode != Opcode::Parameter ||
        instruction.number >= interface_.parameter_quotients.size()) {
      continue;
    }
    const OperandId parameter = operand_of(function_.result_of(instruction));
    const PortQuotient& port = interface_.parameter_quotients[instruction.number];
    switch (port.kind) {
      case PortQuotient::Kind::NoValue:
        break;
      case PortQuotient::Kind::None:
      case PortQuotient::Kind::Dropped:
        operands_[parameter].expectation = Expectation::Absent;
        break;
      case PortQuotient::Kind::Ordinal:
        assign(parameter, spec_.inputs[port.number], {}, port.node);
        break;
      case PortQuotient::Kind::Named:
        assign(parameter, spec_.find(port.name), {}, port.node);
        break;
      case PortQuotient::Kind::Surplus: {
        Problem problem;
        problem.kind = Problem::Kind::SurplusPort;
        problem.node = port.node;
        problem.value = function_.result_of(instruction);
        result_.problems.push_back(std::move(problem));
        break;
      }
    }
  }
}

/// Who implements the whole of a specification takes all that it takes. A record, encoder or future
/// brings the fields that it has: what then lacks something is told where that is needed.
void Deduction::seed_missing_parameters() {
  const bool has_fields = std::any_of(interface_.parameters.begin(), interface_.parameters.end(),
                                      [](const hir::Port& port) { return port.field.has_value(); });
  if (!interface_.is_whole() || has_fields) {
    return;
  }
  std::vector<bool> is_there(spec_.inputs.size());
  for (const PortQuotient& port : interface_.parameter_quotients) {
    if (port.kind == PortQuotient::Kind::None) {
      return;  // said to be nothing, which is told if something needs it
    }
    if (port.kind == PortQuotient::Kind::Ordinal && port.number < is_there.size()) {
      is_there[port.number] = true;
    }
  }
  for (size_t i = 0; i < is_there.size(); ++i) {
    const bool is_parameter = spec_.nodes[spec_.inputs[i]].term.kind == TermKind::Input;
    if (is_parameter && !is_there[i]) {
      Problem problem;
      problem.kind = Problem::Kind::MissingInput;
      problem.found = spec_.inputs[i];
      result_.problems.push_back(std::move(problem));
      return;
    }
  }
}

void Deduction::seed_results() {
  const hir::Block& last = function_.blocks[{static_cast<uint32_t>(function_.blocks.size() - 1)}];
  std::span<const ValueId> given = function_.operands_of(last.terminator);
  uint32_t n_outputs = 0;
  for (size_t i = 0; i < given.size() && i < interface_.result_quotients.size(); ++i) {
    const PortQuotient& port = interface_.result_quotients[i];
    const uint32_t at = last.terminator.node;
    if (!given[i].has_value() || !operand_of(given[i]).has_value()) {
      continue;
    }
    switch (port.kind) {
      case PortQuotient::Kind::NoValue:
      case PortQuotient::Kind::None:
      case PortQuotient::Kind::Dropped:
        break;
      case PortQuotient::Kind::Ordinal:
        ++n_outputs;
        if (port.number < spec_.outputs.size()) {
          assign(operand_of(given[i]), spec_.outputs[port.number], {}, at);
        }
        break;
      case PortQuotient::Kind::Named:
        ++n_outputs;
        assign(operand_of(given[i]), spec_.find(port.name), {}, at);
        break;
      case PortQuotient::Kind::Surplus: {
        Problem problem;
        problem.kind = Problem::Kind::SurplusPort;
        problem.node = port.node;
        result_.problems.push_back(std::move(problem));
        break;
      }
    }
  }
  if (interface_.is_whole() && n_outputs < spec_.outputs.size() && !result_.has_holes) {
    Problem problem;
    problem.kind = Problem::Kind::MissingOutput;
    problem.found = spec_.outputs[n_outputs];
    result_.problems.push_back(std::move(problem));
  }
}

void Deduction::seed_tags() {
  auto& interner = context_.service<Interner>();
  auto tag_of = [&](uint32_t node) {
    return read_tag(syntax::Node(&tree_, node), "val", interner);
  };
  for (const hir::TagUse& use : function_.tags) {
    const Tag tag = tag_of(use.node);
    switch (use.subject) {
      case hir::TagSubject::Value:
        say({use.index}, tag);
        break;
      case hir::TagSubject::Instruction:
        say_of_call({use.index}, tag);
        break;
      case hir::TagSubject::Branch:
        say_of_branch({use.index}, tag);
        break;
    }
  }
  for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
    for (hir::InstructionId id : function_.blocks[hir::BlockId{i}].instructions) {
      const Instruction& instruction = function_.instructions[id];
      if (instruction.opcode == Opcode::Annotate && instruction.operands.size() == 1) {
        say(function_.operands_of(instruction)[0], tag_of(instruction.node));
      }
    }
  }
}

/// A call whose results are all `none(val)` need not be in the specification.
static void excuse_call(Operands& operands, OperandId call) {
  const std::vector<OperandId>& results = operands[call].users;
  if (std::all_of(results.begin(), results.end(),
                  [&](OperandId result) { return operands[result].is_absent(); })) {
    operands[call].expectation = Expectation::Absent;
  }
}

void Deduction::say(ValueId value, const Tag& tag) {
  const OperandId about = operand_of(value);
  if (!about.has_value()) {
    return;
  }
  if (tag.kind == Tag::Kind::None) {
    // `none(val)-dead` speaks of a place that is still empty.
    Operand& empty = operands_[about];
    if (empty.has_term()) {
      empty.expectation = Expectation::Absent;
    }
    if (empty.term.kind == TermKind::Extract) {
      excuse_call(operands_, empty.children[0]);
    }
  } else if (tag.kind == Tag::Kind::Node) {
    assign_said(about, spec_.find(tag.names[0]), tag.node);
  }
}

void Deduction::assign_said(OperandId operand, SpecNodeId node, uint32_t tag) {
  assign(operand, node, {}, tag);
  if (operands_[operand].node == node) {
    operands_[operand].tag = tag;
  }
}

/// `f(x) @ node(val.y)` says what comes out, `@ node(val.(y, z))` the same of several results.
void Deduction::say_of_call(hir::InstructionId call, const Tag& tag) {
  if (!of_call_[call.index].has_value()) {
    const Instruction& instruction = function_.instructions[call];
    if (instruction.opcode == Opcode::EncodeCopy) {
      say(function_.result_of(instruction), tag);
    }
    return;
  }
  if (tag.kind == Tag::Kind::None) {
    operands_[of_call_[call.index]].expectation = Expectation::Absent;
  }
  size_t next = 0;
  const Instruction& instruction = function_.instructions[call];
  for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
    const OperandId given = operand_of({v});
    if (!given.has_value()) {
      continue;
    }
    if (tag.kind == Tag::Kind::None) {
      operands_[given].computation = Computation::Unspecified;
      operands_[given].excuse();
    } else if (tag.kind == Tag::Kind::Node && next < tag.names.size()) {
      assign_said(given, spec_.find(tag.names[next++]), tag.node);
    }
  }
}

/// `if @ node(val.r) c { … }` says which choice of the specification this one is. It can say so of
/// one value only.
void Deduction::say_of_branch(hir::BlockId block, const Tag& tag) {
  if (tag.kind != Tag::Kind::Node) {
    return;
  }
  const hir::BlockId join = function_.blocks[block].terminator.join;
  OperandId chosen;
  uint32_t n_chosen = 0;
  for (hir::InstructionId id : function_.blocks[join].instructions) {
    const Instruction& phi = function_.instructions[id];
    if (phi.opcode != Opcode::Phi) {
      break;
    }
    const OperandId about = operand_of(function_.result_of(phi));
    if (about.has_value() && operands_[about].is_choice()) {
      chosen = about;
      ++n_chosen;
    }
  }
  const SpecNodeId node = spec_.find(tag.names[0]);
  if (n_chosen == 1) {
    assign_said(chosen, node, tag.node);
  }
}

}  // namespace tacet::infer
