#include <algorithm>

#include "compiler/front/flow/needed_parameters.h"
#include "compiler/front/flow/port_flows.h"
#include "compiler/run/cps/lowering.h"
#include "compiler/spec/infer/written_parameters.h"

namespace tacet::cps {

using hir::BlockId;
using hir::Instruction;
using hir::InstructionId;
using hir::PlaceId;
using types::Signature;

auto FunctionLowering::slice(const std::vector<ValueId>& values) -> Slice {
  std::vector<ValueId>& operands = funclet().operands;
  const auto begin = static_cast<uint32_t>(operands.size());
  operands.insert(operands.end(), values.begin(), values.end());
  return {begin, static_cast<uint32_t>(operands.size())};
}

auto FunctionLowering::copy(ValueId value) -> ValueId {
  Command command;
  command.opcode = Opcode::Copy;
  return emit(command, {value}, {funclet().values[value]});
}

/// References that are borrowed may be handed on any number of times, all else once: what stands
/// in `values` again is copied.
void FunctionLowering::spend_once(std::vector<ValueId>& values) {
  std::vector<ValueId> spent;
  for (ValueId& value : values) {
    const TypeKind kind = this->kind(value);
    if (kind == TypeKind::Reference || kind == TypeKind::MutableReference) {
      continue;
    }
    if (std::find(spent.begin(), spent.end(), value) != spent.end()) {
      value = copy(value);
    }
    spent.push_back(value);
  }
}

/// A value as a funclet that comes later gets it.
auto FunctionLowering::later(ValueId value) -> Value {
  Value result = funclet().values[value];
  if (has_content(kind(value))) {
    result.tags.val = content(value);
  }
  result.tags.val.quotient = inside(result.tags.val.quotient);
  Quotient& handle = result.tags.tmln.quotient;
  if (handle.kind == QuotientKind::Input && handle.index < timeline_graph_->inputs.size()) {
    handle = {QuotientKind::Node, timeline_graph_->inputs[handle.index].index};
  }
  return result;
}

/// Everything of `needed` that there is here becomes a parameter of `to`.
auto FunctionLowering::hand_over(const FunctionFacts::Numbers& needed, Owners owners, FuncletId to)
    -> Handover {
  std::vector<Binding> here;
  auto add = [&](Thing thing, const std::unordered_map<uint32_t, ValueId>& map) {
    if (auto found = map.find(thing.index); found != map.end()) {
      here.push_back({thing, found->second});
    }
  };
  for (uint32_t number : needed) {
    const Thing thing = facts_->thing(number);
    add(thing, thing.kind == Thing::Kind::Value ? values_ : places_);
  }
  if (owners == Owners::Too) {
    for (const auto& [place, value] : owners_) {
      here.push_back({{Thing::Kind::Owner, place}, value});
    }
  }
  std::stable_sort(here.begin(), here.end(),
                   [](const Binding& a, const Binding& b) { return a.value < b.value; });
  Handover result;
  result.funclet = to;
  ValueId given;
  for (const Binding& binding : here) {
    if (result.arguments.empty() || result.arguments.back() != binding.value) {
      result.arguments.push_back(binding.value);
      given = parameter(to, later(binding.value));
    }
    result.bindings.push_back({binding.thing, given});
  }
  return result;
}

/// The end of a way of an `if`.
void FunctionLowering::jump(BlockId join) {
  std::vector<ValueId> given;
  for (Thing thing : facts_->results(join)) {
    given.push_back(held(thing));
  }
  spend_once(given);
  Tail& tail = funclet().tail;
  tail.kind = TailKind::Return;
  const Slice arguments = slice(given);
  funclet().tail.arguments = arguments;
}

auto FunctionLowering::held(Thing thing) -> ValueId {
  return thing.kind == Thing::Kind::Value ? any({thing.index}) : place({thing.index});
}

/// The phi of `place` in `join`, or null where nobody looks at it.
static auto phi_of(const hir::Function& ssa, BlockId join, PlaceId place) -> const Instruction* {
  for (InstructionId id : ssa.blocks[join].instructions) {
    const Instruction& instruction = ssa.instructions[id];
    if (instruction.opcode != hir::Opcode::Phi) {
      break;
    }
    if (instruction.place == place) {
      return &instruction;
    }
  }
  return nullptr;
}

/// What a join gets for `thing` from both ways, if `way` is none, or from one of them.
auto FunctionLowering::joined(BlockId join, Thing thing, std::optional<size_t> way) -> Value {
  Value value;
  if (thing.kind == Thing::Kind::Value) {
    value.type = type_of(hir::ValueId{thing.index});
    value.name = program_.name(function_->values[hir::ValueId{thing.index}].name);
    value.tags = tags(value.type, quotient({thing.index}));
    value.tags.tmln.quotient = timeline_quotient({thing.index});
    return value;
  }
  value.type = type_of(PlaceId{thing.index});
  value.name = program_.name(function_->places[PlaceId{thing.index}].name);
  const Instruction* phi = phi_of(*ssa_, join, {thing.index});
  if (phi == nullptr) {
    value.tags = tags(value.type, {});
    // An encoder that both ways encode on is on both what it was before.
    if (const auto held = places_.find(thing.index); held != places_.end()) {
      value.tags.tmln.quotient = later(held->second).tags.tmln.quotient;
    }
    return value;
  }
  const std::span<const hir::ValueId> ways = ssa_->operands_of(*phi);
  const hir::ValueId held = way ? ways[*way] : ssa_->result_of(*phi);
  value.tags = tags(value.type, quotient(held));
  value.tags.tmln.quotient = timeline_quotient(held);
  auto is_unset = [&](hir::ValueId given) {
    return ssa_->definition_of(given).opcode == hir::Opcode::Undefined;
  };
  if (way ? is_unset(ways[*way]) : std::any_of(ways.begin(), ways.end(), is_unset)) {
    value.tags.val.flow = Flow::Dead;
  }
  return value;
}

/// What the join keeps goes to the ways as a copy, which either of them may use up.
void FunctionLowering::copy_kept(const std::vector<ValueId>& kept, std::span<Handover> ways) {
  std::unordered_map<uint32_t, ValueId> copies;
  for (Handover& handover : ways) {
    for (ValueId& value : handover.arguments) {
      const TypeKind kind = this->kind(value);
      const bool is_kept = std::find(kept.begin(), kept.end(), value) != kept.end();
      if (!is_kept || kind == TypeKind::Reference || kind == TypeKind::MutableReference) {
        continue;
      }
      auto [at, is_new] = copies.try_emplace(value.index);
      if (is_new) {
        at->second = copy(value);
      }
      value = at->second;
    }
  }
}

void FunctionLowering::branch(const hir::Terminator& terminator) {
  const BlockId join = terminator.join;
  const ValueId condition = local(terminator.condition);
  const std::vector<Thing>& results = facts_->results(join);
  std::array<FuncletId, 2> ways;
  for (size_t way = 0; way < 2; ++way) {
    std::vector<Port> ports;
    for (Thing thing : results) {
      const Value value = joined(join, thing, way);
      ports.push_back({value.type, value.tags});
    }
    ways[way] = new_funclet(std::move(ports), event_at_begin(terminator.targets[way]),
                            event_at_begin(join));
  }
  const FuncletId behind =
      new_funclet(funclet().results, event_at_begin(join), funclet().event_behind);

  FunctionFacts::Numbers kept = facts_->needed(join);
  std::erase_if(kept, [&](uint32_t number) {
    return std::find(results.begin(), results.end(), facts_->thing(number)) != results.end();
  });
  Handover to_join = hand_over(kept, Owners::Too, behind);
  Work work;
  work.funclet = behind;
  work.block = join;
  work.bindings = to_join.bindings;
  for (Thing thing : results) {
    work.bindings.push_back({thing, parameter(behind, joined(join, thing, std::nullopt))});
  }
  to_do_.push_back(std::move(work));

  std::array<Handover, 2> to_way;
  for (size_t way = 2; way-- > 0;) {
    to_way[way] = hand_over(facts_->needed(terminator.targets[way]), Owners::StayHere, ways[way]);
    Work next;
    next.funclet = ways[way];
    next.block = terminator.targets[way];
    next.bindings = to_way[way].bindings;
    to_do_.push_back(std::move(next));
  }
  copy_kept(to_join.arguments, to_way);
  Tail tail;
  tail.kind = TailKind::Select;
  tail.condition = condition;
  tail.source = source(terminator.node);
  for (size_t way = 0; way < 2; ++way) {
    tail.targets[way] = {to_way[way].funclet, slice(to_way[way].arguments)};
  }
  tail.join = {behind, slice(to_join.arguments)};
  funclet().tail = tail;
}

void FunctionLowering::give_back(const hir::Terminator& terminator) {
  std::vector<ValueId> given;
  std::span<const hir::ValueId> operands = function_->operands_of(terminator);
  const std::vector<Port> ports = funclet().results;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (i >= operands.size()) {
      given.push_back(undefined(ports[i].type, {}));
      continue;
    }
    const Instruction& definition = function_->definition_of(operands[i]);
    if (definition.opcode == hir::Opcode::Borrow &&
        facts_->storage(definition.place) == Storage::Allocated) {
      fail(FailReason::DanglingReference, {}, terminator.node);
      given.push_back(undefined(ports[i].type, {}));
      continue;
    }
    const bool is_remote = program_.program().types[ports[i].type].kind == TypeKind::Remote;
    given.push_back(is_remote ? any(operands[i]) : convert(local(operands[i]), ports[i].type));
  }
  spend_once(given);
  for (size_t i = owners_.size(); i-- > 0;) {
    Command release;
    release.opcode = Opcode::Release;
    emit(release, {owners_[i].second}, {});
  }
  Tail tail;
  tail.source = source(terminator.node);
  tail.arguments = slice(given);
  funclet().tail = tail;
}

}  // namespace tacet::cps
