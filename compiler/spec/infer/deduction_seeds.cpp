#include <algorithm>

#include "compiler/spec/infer/deduction.h"

namespace tacet::infer {

using hir::Instruction;
using hir::Opcode;
using hir::ValueId;

static void seed_parameters(Deduction& deduction);
static void seed_missing_parameters(Deduction& deduction);
static void seed_results(Deduction& deduction);
static void seed_tags(Deduction& deduction);
static void say(Deduction& deduction, hir::ValueId value, const Tag& tag);
static void assign_said(Deduction& deduction, OperandId operand, SpecNodeId node, uint32_t tag);
static void say_of_call(Deduction& deduction, hir::InstructionId call, const Tag& tag);
static void say_of_branch(Deduction& deduction, hir::BlockId block, const Tag& tag);

void seed(Deduction& deduction) {
  seed_parameters(deduction);
  seed_missing_parameters(deduction);
  seed_tags(deduction);
  propagate(deduction);  // a tag that contradicts its place is reported there
  seed_results(deduction);
}

static void seed_parameters(Deduction& deduction) {
  for (hir::InstructionId id : deduction.function.blocks[hir::BlockId{0}].instructions) {
    const Instruction& instruction = deduction.function.instructions[id];
    if (instruction.opcode != Opcode::Parameter ||
        instruction.number >= deduction.interface.parameter_quotients.size()) {
      continue;
    }
    const OperandId parameter = operand_of(deduction, deduction.function.result_of(instruction));
    const PortQuotient& port = deduction.interface.parameter_quotients[instruction.number];
    switch (port.kind) {
      case PortQuotient::Kind::NoValue:
        break;
      case PortQuotient::Kind::None:
      case PortQuotient::Kind::Dropped:
        deduction.operands[parameter].expectation = Expectation::Absent;
        break;
      case PortQuotient::Kind::Ordinal:
        assign(deduction, parameter, deduction.spec.inputs[port.number], {}, port.node);
        break;
      case PortQuotient::Kind::Named:
        assign(deduction, parameter, deduction.spec.find(port.name), {}, port.node);
        break;
      case PortQuotient::Kind::Surplus: {
        Problem problem;
        problem.kind = Problem::Kind::SurplusPort;
        problem.node = port.node;
        problem.value = deduction.function.result_of(instruction);
        deduction.result.problems.push_back(std::move(problem));
        break;
      }
    }
  }
}

/// Who implements the whole of a specification takes all that it takes. A record, encoder or future
/// brings the fields that it has: a missing field is reported where it is needed.
static void seed_missing_parameters(Deduction& deduction) {
  const bool has_fields =
      std::any_of(deduction.interface.parameters.begin(), deduction.interface.parameters.end(),
                  [](const hir::Port& port) { return port.field.has_value(); });
  if (!deduction.interface.is_whole() || has_fields) {
    return;
  }
  std::vector<bool> is_there(deduction.spec.inputs.size());
  for (const PortQuotient& port : deduction.interface.parameter_quotients) {
    if (port.kind == PortQuotient::Kind::None) {
      return;  // declared as nothing, which is reported if something needs it
    }
    if (port.kind == PortQuotient::Kind::Ordinal && port.number < is_there.size()) {
      is_there[port.number] = true;
    }
  }
  for (size_t i = 0; i < is_there.size(); ++i) {
    const bool is_parameter =
        deduction.spec.nodes[deduction.spec.inputs[i]].term.kind == TermKind::Input;
    if (is_parameter && !is_there[i]) {
      Problem problem;
      problem.kind = Problem::Kind::MissingInput;
      problem.found = deduction.spec.inputs[i];
      deduction.result.problems.push_back(std::move(problem));
      return;
    }
  }
}

static void seed_results(Deduction& deduction) {
  const hir::Block& last =
      deduction.function.blocks[{static_cast<uint32_t>(deduction.function.blocks.size() - 1)}];
  std::span<const ValueId> given = deduction.function.operands_of(last.terminator);
  uint32_t n_outputs = 0;
  for (size_t i = 0; i < given.size() && i < deduction.interface.result_quotients.size(); ++i) {
    const PortQuotient& port = deduction.interface.result_quotients[i];
    const uint32_t at = last.terminator.node;
    if (!given[i].has_value() || !operand_of(deduction, given[i]).has_value()) {
      continue;
    }
    switch (port.kind) {
      case PortQuotient::Kind::NoValue:
      case PortQuotient::Kind::None:
      case PortQuotient::Kind::Dropped:
        break;
      case PortQuotient::Kind::Ordinal:
        ++n_outputs;
        if (port.number < deduction.spec.outputs.size()) {
          assign(deduction, operand_of(deduction, given[i]), deduction.spec.outputs[port.number],
                 {}, at);
        }
        break;
      case PortQuotient::Kind::Named:
        ++n_outputs;
        assign(deduction, operand_of(deduction, given[i]), deduction.spec.find(port.name), {}, at);
        break;
      case PortQuotient::Kind::Surplus: {
        Problem problem;
        problem.kind = Problem::Kind::SurplusPort;
        problem.node = port.node;
        deduction.result.problems.push_back(std::move(problem));
        break;
      }
    }
  }
  if (deduction.interface.is_whole() && n_outputs < deduction.spec.outputs.size() &&
      !deduction.result.has_holes) {
    Problem problem;
    problem.kind = Problem::Kind::MissingOutput;
    problem.found = deduction.spec.outputs[n_outputs];
    deduction.result.problems.push_back(std::move(problem));
  }
}

static void seed_tags(Deduction& deduction) {
  auto& interner = deduction.context.service<Interner>();
  auto tag_of = [&](uint32_t node) {
    return read_tag(syntax::Node(&deduction.tree, node), "val", interner);
  };
  for (const hir::TagUse& use : deduction.function.tags) {
    const Tag tag = tag_of(use.node);
    switch (use.subject) {
      case hir::TagSubject::Value:
        say(deduction, {use.index}, tag);
        break;
      case hir::TagSubject::Instruction:
        say_of_call(deduction, {use.index}, tag);
        break;
      case hir::TagSubject::Branch:
        say_of_branch(deduction, {use.index}, tag);
        break;
    }
  }
  for (uint32_t i = 0; i < deduction.function.blocks.size(); ++i) {
    for (hir::InstructionId id : deduction.function.blocks[hir::BlockId{i}].instructions) {
      const Instruction& instruction = deduction.function.instructions[id];
      if (instruction.opcode == Opcode::Annotate && instruction.operands.size() == 1) {
        say(deduction, deduction.function.operands_of(instruction)[0], tag_of(instruction.node));
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

static void say(Deduction& deduction, ValueId value, const Tag& tag) {
  const OperandId about = operand_of(deduction, value);
  if (!about.has_value()) {
    return;
  }
  if (tag.kind == Tag::Kind::None) {
    // `none(val)-dead` speaks of a place that is still empty.
    Operand& empty = deduction.operands[about];
    if (empty.has_term()) {
      empty.expectation = Expectation::Absent;
    }
    if (empty.term.kind == TermKind::Extract) {
      excuse_call(deduction.operands, empty.children[0]);
    }
  } else if (tag.kind == Tag::Kind::Node) {
    assign_said(deduction, about, deduction.spec.find(tag.names[0]), tag.node);
  }
}

static void assign_said(Deduction& deduction, OperandId operand, SpecNodeId node, uint32_t tag) {
  assign(deduction, operand, node, {}, tag);
  if (deduction.operands[operand].node == node) {
    deduction.operands[operand].tag = tag;
  }
}

/// `f(x) @ node(val.y)` says what comes out, `@ node(val.(y, z))` the same of several results.
static void say_of_call(Deduction& deduction, hir::InstructionId call, const Tag& tag) {
  if (!deduction.of_call[call.index].has_value()) {
    const Instruction& instruction = deduction.function.instructions[call];
    if (instruction.opcode == Opcode::EncodeCopy) {
      say(deduction, deduction.function.result_of(instruction), tag);
    }
    return;
  }
  if (tag.kind == Tag::Kind::None) {
    deduction.operands[deduction.of_call[call.index]].expectation = Expectation::Absent;
  }
  size_t next = 0;
  const Instruction& instruction = deduction.function.instructions[call];
  for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
    const OperandId given = operand_of(deduction, {v});
    if (!given.has_value()) {
      continue;
    }
    if (tag.kind == Tag::Kind::None) {
      deduction.operands[given].computation = Computation::Unspecified;
      deduction.operands[given].excuse();
    } else if (tag.kind == Tag::Kind::Node && next < tag.names.size()) {
      assign_said(deduction, given, deduction.spec.find(tag.names[next++]), tag.node);
    }
  }
}

/// `if @ node(val.r) c { … }` says which choice of the specification this one is. It can say so of
/// one value only.
static void say_of_branch(Deduction& deduction, hir::BlockId block, const Tag& tag) {
  if (tag.kind != Tag::Kind::Node) {
    return;
  }
  const hir::BlockId join = deduction.function.blocks[block].terminator.join;
  OperandId chosen;
  uint32_t n_chosen = 0;
  for (hir::InstructionId id : deduction.function.blocks[join].instructions) {
    const Instruction& phi = deduction.function.instructions[id];
    if (phi.opcode != Opcode::Phi) {
      break;
    }
    const OperandId about = operand_of(deduction, deduction.function.result_of(phi));
    if (about.has_value() && deduction.operands[about].is_choice()) {
      chosen = about;
      ++n_chosen;
    }
  }
  const SpecNodeId node = deduction.spec.find(tag.names[0]);
  if (n_chosen == 1) {
    assign_said(deduction, chosen, node, tag.node);
  }
}

}  // namespace tacet::infer
