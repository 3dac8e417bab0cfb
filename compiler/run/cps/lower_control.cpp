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

static auto held(FunctionLowering& lowering, Thing thing) -> ValueId;

auto slice(FunctionLowering& lowering, const std::vector<ValueId>& values) -> Slice {
  std::vector<ValueId>& operands = current_funclet(lowering).operands;
  const auto begin = static_cast<uint32_t>(operands.size());
  operands.insert(operands.end(), values.begin(), values.end());
  return {begin, static_cast<uint32_t>(operands.size())};
}

auto copy(FunctionLowering& lowering, ValueId value) -> ValueId {
  Command command;
  command.opcode = Opcode::Copy;
  return emit(lowering, command, {value}, {current_funclet(lowering).values[value]});
}

/// References that are borrowed may be handed on any number of times, all else once: what is in
/// `values` again is copied.
void spend_once(FunctionLowering& lowering, std::vector<ValueId>& values) {
  std::vector<ValueId> spent;
  for (ValueId& value : values) {
    const TypeKind kind = kind_of(lowering, value);
    if (kind == TypeKind::Reference || kind == TypeKind::MutableReference) {
      continue;
    }
    if (std::find(spent.begin(), spent.end(), value) != spent.end()) {
      value = copy(lowering, value);
    }
    spent.push_back(value);
  }
}

/// A value as a funclet that comes later gets it.
auto later(FunctionLowering& lowering, ValueId value) -> Value {
  Value result = current_funclet(lowering).values[value];
  if (has_content(kind_of(lowering, value))) {
    result.tags.val = content(lowering, value);
  }
  result.tags.val.quotient = inside(lowering, result.tags.val.quotient);
  Quotient& handle = result.tags.tmln.quotient;
  if (handle.kind == QuotientKind::Input && handle.index < lowering.timeline_graph->inputs.size()) {
    handle = {QuotientKind::Node, lowering.timeline_graph->inputs[handle.index].index};
  }
  return result;
}

/// Everything of `needed` that there is here becomes a parameter of `to`.
auto hand_over(FunctionLowering& lowering, const FunctionFacts::Numbers& needed, Owners owners,
               FuncletId to) -> Handover {
  std::vector<Binding> here;
  auto add = [&](Thing thing, const std::unordered_map<uint32_t, ValueId>& map) {
    if (auto found = map.find(thing.index); found != map.end()) {
      here.push_back({thing, found->second});
    }
  };
  for (uint32_t number : needed) {
    const Thing thing = lowering.facts->thing(number);
    add(thing, thing.kind == Thing::Kind::Value ? lowering.values : lowering.places);
  }
  if (owners == Owners::Too) {
    for (const auto& [place, value] : lowering.owners) {
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
      given = parameter(lowering, to, later(lowering, binding.value));
    }
    result.bindings.push_back({binding.thing, given});
  }
  return result;
}

/// The end of a branch of an `if`.
void jump(FunctionLowering& lowering, BlockId join) {
  std::vector<ValueId> given;
  for (Thing thing : lowering.facts->results(join)) {
    given.push_back(held(lowering, thing));
  }
  spend_once(lowering, given);
  Tail& tail = current_funclet(lowering).tail;
  tail.kind = TailKind::Return;
  const Slice arguments = slice(lowering, given);
  current_funclet(lowering).tail.arguments = arguments;
}

static auto held(FunctionLowering& lowering, Thing thing) -> ValueId {
  return thing.kind == Thing::Kind::Value ? any(lowering, {thing.index})
                                          : place(lowering, {thing.index});
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

/// What a join gets for `thing` from both branches, if `side` is none, or from one.
static auto joined(FunctionLowering& lowering, BlockId join, Thing thing,
                   std::optional<size_t> side) -> Value {
  Value value;
  if (thing.kind == Thing::Kind::Value) {
    value.type = type_of(lowering, hir::ValueId{thing.index});
    value.name = lowering.program.name(lowering.function->values[hir::ValueId{thing.index}].name);
    value.tags = tags(lowering, value.type, quotient_of(lowering, {thing.index}));
    value.tags.tmln.quotient = timeline_quotient(lowering, {thing.index});
    return value;
  }
  value.type = type_of(lowering, PlaceId{thing.index});
  value.name = lowering.program.name(lowering.function->places[PlaceId{thing.index}].name);
  const Instruction* phi = phi_of(*lowering.ssa, join, {thing.index});
  if (phi == nullptr) {
    value.tags = tags(lowering, value.type, {});
    // An encoder that both branches encode on is the one from before on both.
    if (const auto held = lowering.places.find(thing.index); held != lowering.places.end()) {
      value.tags.tmln.quotient = later(lowering, held->second).tags.tmln.quotient;
    }
    return value;
  }
  const std::span<const hir::ValueId> sides = lowering.ssa->operands_of(*phi);
  const hir::ValueId held = side ? sides[*side] : lowering.ssa->result_of(*phi);
  value.tags = tags(lowering, value.type, quotient_of(lowering, held));
  value.tags.tmln.quotient = timeline_quotient(lowering, held);
  auto is_unset = [&](hir::ValueId given) {
    return lowering.ssa->definition_of(given).opcode == hir::Opcode::Undefined;
  };
  if (side ? is_unset(sides[*side]) : std::any_of(sides.begin(), sides.end(), is_unset)) {
    value.tags.val.flow = Flow::Dead;
  }
  return value;
}

/// What the join keeps is passed to the branches as a copy, which either may consume.
static void copy_kept(FunctionLowering& lowering, const std::vector<ValueId>& kept,
                      std::span<Handover> sides) {
  std::unordered_map<uint32_t, ValueId> copies;
  for (Handover& handover : sides) {
    for (ValueId& value : handover.arguments) {
      const TypeKind kind = kind_of(lowering, value);
      const bool is_kept = std::find(kept.begin(), kept.end(), value) != kept.end();
      if (!is_kept || kind == TypeKind::Reference || kind == TypeKind::MutableReference) {
        continue;
      }
      auto [at, is_new] = copies.try_emplace(value.index);
      if (is_new) {
        at->second = copy(lowering, value);
      }
      value = at->second;
    }
  }
}

void branch(FunctionLowering& lowering, const hir::Terminator& terminator) {
  const BlockId join = terminator.join;
  const ValueId condition = local(lowering, terminator.condition);
  const std::vector<Thing>& results = lowering.facts->results(join);
  std::array<FuncletId, 2> sides;
  for (size_t side = 0; side < 2; ++side) {
    std::vector<Port> ports;
    for (Thing thing : results) {
      const Value value = joined(lowering, join, thing, side);
      ports.push_back({value.type, value.tags});
    }
    sides[side] =
        new_funclet(lowering, std::move(ports), event_at_begin(lowering, terminator.targets[side]),
                    event_at_begin(lowering, join));
  }
  const FuncletId behind =
      new_funclet(lowering, current_funclet(lowering).results, event_at_begin(lowering, join),
                  current_funclet(lowering).event_behind);

  FunctionFacts::Numbers kept = lowering.facts->needed(join);
  std::erase_if(kept, [&](uint32_t number) {
    return std::find(results.begin(), results.end(), lowering.facts->thing(number)) !=
           results.end();
  });
  Handover to_join = hand_over(lowering, kept, Owners::Too, behind);
  Work work;
  work.funclet = behind;
  work.block = join;
  work.bindings = to_join.bindings;
  for (Thing thing : results) {
    work.bindings.push_back(
        {thing, parameter(lowering, behind, joined(lowering, join, thing, std::nullopt))});
  }
  lowering.to_do.push_back(std::move(work));

  std::array<Handover, 2> to_side;
  for (size_t side = 2; side-- > 0;) {
    to_side[side] = hand_over(lowering, lowering.facts->needed(terminator.targets[side]),
                              Owners::StayHere, sides[side]);
    Work next;
    next.funclet = sides[side];
    next.block = terminator.targets[side];
    next.bindings = to_side[side].bindings;
    lowering.to_do.push_back(std::move(next));
  }
  copy_kept(lowering, to_join.arguments, to_side);
  Tail tail;
  tail.kind = TailKind::Select;
  tail.condition = condition;
  tail.source = source(lowering, terminator.node);
  for (size_t side = 0; side < 2; ++side) {
    tail.targets[side] = {to_side[side].funclet, slice(lowering, to_side[side].arguments)};
  }
  tail.join = {behind, slice(lowering, to_join.arguments)};
  current_funclet(lowering).tail = tail;
}

void give_back(FunctionLowering& lowering, const hir::Terminator& terminator) {
  std::vector<ValueId> given;
  std::span<const hir::ValueId> operands = lowering.function->operands_of(terminator);
  const std::vector<Port> ports = current_funclet(lowering).results;
  for (size_t i = 0; i < ports.size(); ++i) {
    if (i >= operands.size()) {
      given.push_back(undefined(lowering, ports[i].type, {}));
      continue;
    }
    const Instruction& definition = lowering.function->definition_of(operands[i]);
    if (definition.opcode == hir::Opcode::Borrow &&
        lowering.facts->storage(definition.place) == Storage::Allocated) {
      fail(lowering, FailReason::DanglingReference, {}, terminator.node);
      given.push_back(undefined(lowering, ports[i].type, {}));
      continue;
    }
    const bool is_remote = lowering.program.program().types[ports[i].type].kind == TypeKind::Remote;
    given.push_back(is_remote ? any(lowering, operands[i])
                              : convert(lowering, local(lowering, operands[i]), ports[i].type));
  }
  spend_once(lowering, given);
  for (size_t i = lowering.owners.size(); i-- > 0;) {
    Command release;
    release.opcode = Opcode::Release;
    emit(lowering, release, {lowering.owners[i].second}, {});
  }
  Tail tail;
  tail.source = source(lowering, terminator.node);
  tail.arguments = slice(lowering, given);
  current_funclet(lowering).tail = tail;
}

}  // namespace tacet::cps
