#include "compiler/front/flow/function_flows.h"

#include <algorithm>
#include <utility>

#include "compiler/front/flow/port_facts.h"

namespace tacet::flow {

using hir::BlockId;
using hir::Instruction;
using hir::Opcode;
using hir::PlaceId;
using hir::PlaceKind;

FunctionFlows::FunctionFlows(hir::FunctionPtr function, hir::FunctionPtr ssa,
                             const types::TypeStore& types, PortFacts ports)
    : function_(std::move(function)),
      types_(types),
      problem_(*function_, types, std::move(ports), Followed::All),
      facts_(hir::solve(*function_, problem_)) {
  find_values(*ssa);
}

auto FunctionFlows::flows(const PlaceFact& fact, PlaceId place) const -> Flows {
  Flows result = flows_of_type(types_, function_->places[place].type);
  const bool is_empty = problem_.is_empty(fact, place);
  if (problem_.is_handle(place)) {
    result.tmln = is_empty ? Flow::Dead : Flow::Usable;
    return result;
  }
  result.val = is_empty ? Flow::Dead : Flow::Usable;
  if (function_->places[place].kind != PlaceKind::Merged) {
    result.sptl = Flow::Saved;
  }
  return result;
}

auto FunctionFlows::at_begin(BlockId block, PlaceId place) const -> Flows {
  return flows(facts_.at_begin[block.index], place);
}

auto FunctionFlows::at_end(BlockId block, PlaceId place) const -> Flows {
  return flows(facts_.at_end[block.index], place);
}

auto FunctionFlows::before(BlockId block, size_t position, PlaceId place) const -> Flows {
  PlaceFact fact = facts_.at_begin[block.index];
  const std::vector<hir::InstructionId>& instructions = function_->blocks[block].instructions;
  for (size_t i = 0; i < std::min(position, instructions.size()); ++i) {
    problem_.transfer(function_->instructions[instructions[i]], fact);
  }
  return flows(fact, place);
}

/// A value is dead if it says that there is none, or may be one that does.
void FunctionFlows::find_values(const hir::Function& ssa) {
  of_value_.resize(ssa.values.size());
  for (uint32_t i = 0; i < ssa.values.size(); ++i) {
    of_value_[i] = flows_of_type(types_, ssa.values[hir::ValueId{i}].type);
    if (i < problem_.ports().empty_values.size() && problem_.ports().empty_values.contains(i)) {
      of_value_[i].val = Flow::Dead;
    }
  }
  for (uint32_t block = 0; block < ssa.blocks.size(); ++block) {
    for (hir::InstructionId id : ssa.blocks[BlockId{block}].instructions) {
      const Instruction& instruction = ssa.instructions[id];
      if (instruction.opcode == Opcode::Undefined) {
        of_value_[instruction.results.begin].val = Flow::Dead;
      } else if (instruction.opcode == Opcode::Phi) {
        for (hir::ValueId operand : ssa.operands_of(instruction)) {
          if (of_value_[operand.index].val == Flow::Dead) {
            of_value_[instruction.results.begin].val = Flow::Dead;
          }
        }
      }
    }
  }
}

auto FlowsOf::compute(query::Context& context, const Key& item) -> Value {
  const hir::FunctionPtr& function = context.get<hir::FunctionOf>(item);
  if (!function) {
    return nullptr;
  }
  const hir::FunctionPtr& ssa = context.get<hir::SsaOf>(item);
  return std::make_shared<const FunctionFlows>(function, ssa, context.service<types::TypeStore>(),
                                               port_facts(context, *function));
}

}  // namespace tacet::flow
