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
    const ThingId parameter = thing(function_.result_of(instruction));
    const PortQuotient& port = interface_.parameter_quotients[instruction.number];
    switch (port.kind) {
      case PortQuotient::Kind::NoValue:
        break;
      case PortQuotient::Kind::None:
      case PortQuotient::Kind::Dropped:
        things_[parameter].is_none = true;
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
    if (!given[i].has_value() || !thing(given[i]).has_value()) {
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
          assign(thing(given[i]), spec_.outputs[port.number], {}, at);
        }
        break;
      case PortQuotient::Kind::Named:
        ++n_outputs;
        assign(thing(given[i]), spec_.find(port.name), {}, at);
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

void Deduction::say(ValueId value, const Tag& tag) {
  const ThingId about = thing(value);
  if (!about.has_value()) {
    return;
  }
  if (tag.kind == Tag::Kind::None) {
    // `none(val)-dead` speaks of a place that is still empty.
    Thing& empty = things_[about];
    empty.is_none = empty.is_none || empty.has_term;
    empty.is_needed = false;
    if (empty.term.kind == TermKind::Extract) {
      excuse_call(empty.children[0]);
    }
  } else if (tag.kind == Tag::Kind::Node) {
    assign_said(about, spec_.find(tag.names[0]), tag.node);
  }
}

void Deduction::assign_said(ThingId thing, SpecNodeId node, uint32_t tag) {
  assign(thing, node, {}, tag);
  if (things_[thing].node == node) {
    things_[thing].tag = tag;
  }
}

/// A call whose results are all `none(val)` need not be in the specification.
void Deduction::excuse_call(ThingId call) {
  const std::vector<ThingId>& results = things_[call].users;
  if (std::all_of(results.begin(), results.end(),
                  [&](ThingId result) { return things_[result].is_none; })) {
    things_[call].is_none = true;
    things_[call].is_needed = false;
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
    things_[of_call_[call.index]].is_none = true;
    things_[of_call_[call.index]].is_needed = false;
  }
  size_t next = 0;
  const Instruction& instruction = function_.instructions[call];
  for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
    const ThingId given = thing({v});
    if (!given.has_value()) {
      continue;
    }
    if (tag.kind == Tag::Kind::None) {
      things_[given].has_term = things_[given].is_needed = false;
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
  ThingId chosen;
  uint32_t n_chosen = 0;
  for (hir::InstructionId id : function_.blocks[join].instructions) {
    const Instruction& phi = function_.instructions[id];
    if (phi.opcode != Opcode::Phi) {
      break;
    }
    const ThingId about = thing(function_.result_of(phi));
    if (about.has_value() && things_[about].is_phi) {
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
