#include "compiler/run/cps/shape_check.h"

#include <algorithm>

#include "compiler/run/cps/shape_checker.h"

namespace tacet::cps {

void ShapeChecker::run(std::vector<Fault>& faults) {
  header();
  n_defined_ = funclet_.n_parameters;
  for (at_ = 0; at_ < funclet_.commands.size() && fault_.empty(); ++at_) {
    const Command& command = funclet_.commands[at_];
    if (slices(command)) {
      this->command(command);
      tags_exist(command);
    }
    n_defined_ = command.results.end;
  }
  if (fault_.empty()) {
    at_ = Fault::kTail;
    want(n_defined_ == funclet_.values.size(), "a value that nothing defines");
    tail();
  } else {
    --at_;
  }
  if (!fault_.empty()) {
    faults.push_back({id_, at_, std::move(fault_)});
  }
}

void ShapeChecker::tags(const Tags& tags) {
  quotient(tags.val.quotient);
  step(tags.tmln.quotient);
  want(tags.sptl.quotient.kind == QuotientKind::None,
       "a node of a specification that there is none of");
}

void ShapeChecker::header() {
  at_ = Fault::kTail;
  want(funclet_.function.index < program_.functions.size(), "an unknown function");
  if (!fault_.empty()) {
    return;
  }
  want(funclet_.n_parameters <= funclet_.values.size(), "more parameters than values");
  for (const Value& value : funclet_.values.values()) {
    want(value.type.index < program_.types.size(), "an unknown type");
  }
  for (uint32_t i = 0; i < funclet_.n_parameters && fault_.empty(); ++i) {
    tags(funclet_.values[ValueId{i}].tags);
  }
  step(funclet_.event);
  step(funclet_.event_behind);
  for (const Port& port : funclet_.results) {
    want(port.type.index < program_.types.size(), "an unknown type");
    tags(port.tags);
  }
}

auto ShapeChecker::in_pool(Slice slice) const -> bool {
  return slice.begin <= slice.end && slice.end <= funclet_.operands.size();
}

auto ShapeChecker::are_defined(Slice slice) -> bool {
  want(in_pool(slice), "operands outside of the pool");
  if (fault_.empty()) {
    for (ValueId value : funclet_.operands_of(slice)) {
      want(value.index < n_defined_, "a value that is not defined yet");
    }
  }
  return fault_.empty();
}

auto ShapeChecker::slices(const Command& command) -> bool {
  want(command.results.begin == n_defined_ && command.results.end >= command.results.begin &&
           command.results.end <= funclet_.values.size(),
       "results out of order");
  want(command.cells.begin <= command.cells.end && command.cells.end <= funclet_.cells.size(),
       "cells outside of the pool");
  return fault_.empty() && are_defined(command.operands);
}

void ShapeChecker::tags_exist(const Command& command) {
  for (uint32_t i = command.results.begin; i < command.results.end && fault_.empty(); ++i) {
    tags(funclet_.values[ValueId{i}].tags);
  }
  const bool is_step = command.opcode == Opcode::EncodeBegin || command.opcode == Opcode::Submit ||
                       command.opcode == Opcode::Await;
  is_step ? step(command.node) : quotient(command.node);
}

void ShapeChecker::all_values(std::span<const ValueId> values) {
  for (ValueId value : values) {
    want(type(value).kind == TypeKind::Value, "`{}` where a value is wanted", text(value));
  }
}

void ShapeChecker::command(const Command& command) {
  const std::span<const ValueId> operands = funclet_.operands_of(command.operands);
  const ValueId result{command.results.begin};
  switch (command.opcode) {
    case Opcode::Undefined:
      counts(command, 0, 1);
      return;
    case Opcode::Constant:
      constant(command, result);
      return;
    case Opcode::Unary:
    case Opcode::Binary:
      operation(command, operands, result);
      return;
    case Opcode::Cast:
    case Opcode::Convert:
      counts(command, 1, 1);
      if (fault_.empty()) {
        all_values(std::array{operands[0], result});
        want(type(operands[0]).shape.empty() || type(operands[0]).shape == type(result).shape,
             "a cast to another shape");
      }
      return;
    case Opcode::Array:
    case Opcode::Index:
      array(command, operands, result);
      return;
    case Opcode::Compute:
      formula(command, operands, result);
      return;
    case Opcode::Copy:
    case Opcode::Assume:
      counts(command, 1, 1);
      if (fault_.empty()) {
        want(type(operands[0]) == type(result), "`{}` made of `{}`", text(result),
             text(operands[0]));
      }
      return;
    case Opcode::Allocate:
    case Opcode::Release:
    case Opcode::Borrow:
    case Opcode::Load:
    case Opcode::Store:
      memory(command, operands, result);
      return;
    case Opcode::Run:
    case Opcode::EncodeRun:
      kernel(command, operands);
      return;
    case Opcode::EncodeBegin:
    case Opcode::EncodeCopy:
    case Opcode::Submit:
    case Opcode::Await:
    case Opcode::Fetch:
      remote(command, operands, result);
      return;
    case Opcode::Fail:
      counts(command, 0, 0);
      return;
  }
}

namespace {

/// None, or a specification of that kind.
auto is_spec(const Program& program, SpecId spec, SpecKind kind) -> bool {
  return !spec.has_value() ||
         (spec.index < program.specs.size() && program.specs[spec].kind == kind);
}

auto program_fault(const Program& program) -> std::string {
  for (const Spec& spec : program.specs.values()) {
    auto exist = [&](const std::vector<NodeId>& nodes) {
      return std::all_of(nodes.begin(), nodes.end(),
                         [&](NodeId node) { return node.index < spec.nodes.size(); });
    };
    bool is_good = exist(spec.inputs) && exist(spec.outputs);
    for (const Node& node : spec.nodes.values()) {
      is_good = is_good && exist(node.children) && node.type.index < program.types.size() &&
                (node.kind != NodeKind::Formula || node.formula.index < program.formulas.size());
    }
    if (!is_good) {
      return "a specification names a node that it does not have";
    }
  }
  for (const Function& function : program.functions.values()) {
    if (function.entry.index >= program.funclets.size() ||
        !is_spec(program, function.spec, SpecKind::Value) ||
        !is_spec(program, function.timeline, SpecKind::Timeline)) {
      return "a function names what there is none of";
    }
  }
  for (const Pipeline& pipeline : program.pipelines) {
    if (pipeline.function.index >= program.functions.size()) {
      return "a pipeline names what there is none of";
    }
  }
  return {};
}

}  // namespace

auto check_shape(const Program& program) -> std::vector<Fault> {
  std::vector<Fault> faults;
  if (std::string fault = program_fault(program); !fault.empty()) {
    faults.push_back({{}, Fault::kTail, std::move(fault)});
    return faults;
  }
  for (uint32_t i = 0; i < program.funclets.size(); ++i) {
    ShapeChecker(program, {i}).run(faults);
  }
  return faults;
}

}  // namespace tacet::cps
