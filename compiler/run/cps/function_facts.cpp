#include <algorithm>

#include "compiler/run/cps/lowering.h"

namespace tacet::cps {

using hir::BlockId;
using hir::Instruction;
using hir::InstructionId;
using hir::PlaceId;
using hir::TerminatorKind;

FunctionFacts::FunctionFacts(ProgramLowering& program, const hir::Function& function)
    : program_(program), function_(function) {
  find_storage();
  find_remote();
  find_joins();
  find_needs();
}

auto FunctionFacts::binds(const Instruction& store) const -> bool {
  const hir::ValueId stored = function_.operands_of(store)[0];
  if (function_.places[store.place].kind == hir::PlaceKind::Either) {
    return true;
  }
  return storage_[store.place.index] == Storage::Referent &&
         program_.source_types()[function_.values[stored].type].kind == types::TypeKind::Reference;
}

auto FunctionFacts::chosen(const Instruction& store) const -> PlaceId {
  return function_.definition_of(function_.operands_of(store)[0]).place;
}

auto FunctionFacts::is_linear(Thing thing) const -> bool {
  const types::TypeId type = thing.kind == Thing::Kind::Value
                                 ? function_.values[hir::ValueId{thing.index}].type
                                 : function_.places[PlaceId{thing.index}].type;
  const types::TypeKind kind = program_.source_types()[type].kind;
  return kind == types::TypeKind::Encoder || kind == types::TypeKind::Future;
}

void FunctionFacts::find_storage() {
  storage_.assign(function_.places.size(), Storage::Promoted);
  for (uint32_t place = 0; place < storage_.size(); ++place) {
    const hir::PlaceKind kind = function_.places[PlaceId{place}].kind;
    if (kind == hir::PlaceKind::Referent || kind == hir::PlaceKind::Either) {
      storage_[place] = Storage::Referent;
    }
  }
  for (const Instruction& instruction : function_.instructions.values()) {
    PlaceId lent;
    if (instruction.opcode == hir::Opcode::Borrow) {
      lent = instruction.place;
    } else if (instruction.opcode == hir::Opcode::Store &&
               function_.places[instruction.place].kind == hir::PlaceKind::Either) {
      lent = chosen(instruction);
    }
    if (lent.has_value() && storage_[lent.index] == Storage::Promoted) {
      storage_[lent.index] = Storage::Allocated;
    }
  }
}

/// Ports that are fields of an encoder or future stand for what is on the device.
auto FunctionFacts::is_field_of_remote(const std::vector<types::TypeId>& types,
                                       const hir::Port& port) const -> bool {
  if (!port.field.has_value() || port.ordinal >= types.size()) {
    return false;
  }
  const types::TypeKind kind = program_.source_types()[types[port.ordinal]].kind;
  return kind == types::TypeKind::Encoder || kind == types::TypeKind::Future;
}

/// A place holds values of a device if nothing else is ever put there; starting from all that are
/// stored to, and all fields (nothing may be in that of an encoder before it is handed over),
/// places drop out until nothing changes.
void FunctionFacts::find_remote() {
  remote_values_.assign(function_.values.size(), false);
  remote_places_.assign(function_.places.size(), false);
  auto begin_with = [&](PlaceId place) {
    remote_places_[place.index] = storage_[place.index] == Storage::Promoted;
  };
  for (uint32_t place = 0; place < function_.places.size(); ++place) {
    if (function_.places[PlaceId{place}].kind == hir::PlaceKind::Field) {
      begin_with({place});
    }
  }
  for (const Instruction& instruction : function_.instructions.values()) {
    if (instruction.opcode == hir::Opcode::Store) {
      begin_with(instruction.place);
    }
  }
  const auto signature = program_.snapshot().signature(function_.item);
  std::vector<types::TypeId> given;
  for (const types::SignatureParameter& parameter : signature->parameters) {
    given.push_back(parameter.type);
  }
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (const Instruction& instruction : function_.instructions.values()) {
      has_changed = carry_remote(instruction, given) || has_changed;
    }
  }
}

/// What an instruction hands on of values of a device, `given` being the types of the parameters.
/// True if a place is found to hold something else.
auto FunctionFacts::carry_remote(const Instruction& instruction,
                                 const std::vector<types::TypeId>& given) -> bool {
  std::span<const hir::ValueId> operands = function_.operands_of(instruction);
  const hir::Opcode opcode = instruction.opcode;
  if (opcode == hir::Opcode::Parameter) {
    remote_values_[instruction.results.begin] =
        is_field_of_remote(given, function_.parameters[instruction.number]);
  } else if (opcode == hir::Opcode::EncodeCopy || opcode == hir::Opcode::EncodeCall) {
    for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
      remote_values_[v] = true;
    }
  } else if (opcode == hir::Opcode::Call) {
    const auto callee = program_.snapshot().signature(instruction.item);
    uint32_t v = instruction.results.begin;
    for (uint32_t i = 0; i < callee->results.size(); ++i) {
      for (const hir::Port& port :
           hir::expand(program_.source_types(), callee->results[i].type, 0)) {
        remote_values_[v++] = is_field_of_remote({callee->results[i].type}, port);
      }
    }
  } else if (opcode == hir::Opcode::Copy) {
    remote_values_[instruction.results.begin] = remote_values_[operands[0].index];
  } else if (opcode == hir::Opcode::Load) {
    remote_values_[instruction.results.begin] = remote_places_[instruction.place.index];
  } else if (opcode == hir::Opcode::Store) {
    if (remote_places_[instruction.place.index] && !remote_values_[operands[0].index]) {
      remote_places_[instruction.place.index] = false;
      return true;
    }
  }
  return false;
}

void FunctionFacts::find_joins() {
  join_around_.resize(function_.blocks.size());
  for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
    const hir::Terminator& terminator = function_.blocks[BlockId{i}].terminator;
    if (terminator.kind == TerminatorKind::Branch) {
      join_around_[terminator.targets[0].index] = terminator.join;
      join_around_[terminator.targets[1].index] = terminator.join;
      join_around_[terminator.join.index] = join_around_[i];
    }
  }
}

/// Where variables are written and where encoders and futures are used, by block.
void FunctionFacts::find_uses(std::vector<std::vector<uint32_t>>& stored,
                              std::unordered_map<uint32_t, std::vector<uint32_t>>& used) const {
  auto note = [](std::vector<uint32_t>& blocks, uint32_t block) {
    if (blocks.empty() || blocks.back() != block) {
      blocks.push_back(block);
    }
  };
  auto use = [&](Thing thing, uint32_t block) {
    if (is_linear(thing)) {
      note(used[number(thing)], block);
    }
  };
  for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
    for (InstructionId id : function_.blocks[BlockId{i}].instructions) {
      const Instruction& instruction = function_.instructions[id];
      if (instruction.place.has_value() && instruction.opcode != hir::Opcode::Annotate) {
        use({Thing::Kind::Place, instruction.place.index}, i);
      }
      for (hir::ValueId operand : function_.operands_of(instruction)) {
        use({Thing::Kind::Value, operand.index}, i);
      }
      if (instruction.opcode == hir::Opcode::Store || instruction.opcode == hir::Opcode::Written) {
        note(stored[instruction.place.index], i);
      }
    }
  }
}

/// Is one of `blocks`, which are ascending, between an `if` and its join?
static auto is_within(const std::vector<uint32_t>& blocks, uint32_t split, uint32_t join) -> bool {
  const auto first = std::upper_bound(blocks.begin(), blocks.end(), split);
  return first != blocks.end() && *first < join;
}

/// From behind an instruction to in front of it.
void FunctionFacts::use_before(const Instruction& instruction, SparseSet& needed) const {
  const auto n = static_cast<uint32_t>(function_.values.size());
  for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
    needed.erase(v);
  }
  const hir::Opcode opcode = instruction.opcode;
  if (opcode == hir::Opcode::Annotate || opcode == hir::Opcode::Overwritten) {
    return;
  }
  if (opcode == hir::Opcode::Choose) {
    needed.insert(n + instruction.place.index);
    return;
  }
  if (opcode == hir::Opcode::Peek) {
    needed.insert(function_.operands_of(instruction)[0].index);
    return;
  }
  if (opcode == hir::Opcode::Written) {
    needed.insert(n + instruction.place.index);
    return;  // looks at the place, not at the reference that was lent
  }
  if (opcode == hir::Opcode::Load || opcode == hir::Opcode::Borrow) {
    needed.insert(n + instruction.place.index);
  }
  if (opcode == hir::Opcode::Store) {
    const bool is_memory =
        storage_[instruction.place.index] != Storage::Promoted && !binds(instruction);
    const hir::ValueId stored = function_.operands_of(instruction)[0];
    if (function_.definition_of(stored).opcode == hir::Opcode::Overwritten) {
      needed.insert(n + instruction.place.index);
      return;  // it is there already
    }
    if (is_memory) {
      needed.insert(n + instruction.place.index);
    } else {
      needed.erase(n + instruction.place.index);
    }
    if (function_.places[instruction.place].kind == hir::PlaceKind::Either) {
      needed.insert(n + chosen(instruction).index);
      return;  // takes the reference, and not what that refers to
    }
  }
  for (hir::ValueId operand : function_.operands_of(instruction)) {
    if (instruction.opcode != hir::Opcode::Store ||
        function_.definition_of(operand).opcode != hir::Opcode::Written) {
      needed.insert(operand.index);
    }
  }
}

/// One pass against the order of control: a join comes before the branches to it. After the end of
/// a branch only what the branch gives to the join is needed; what the join needs besides is kept
/// by the join itself. The blocks of an `if` stand between it and its join.
void FunctionFacts::find_needs() {
  const auto n_blocks = static_cast<uint32_t>(function_.blocks.size());
  needed_.resize(n_blocks);
  results_.resize(n_blocks);
  std::vector<std::vector<uint32_t>> stored(function_.places.size());
  std::unordered_map<uint32_t, std::vector<uint32_t>> used;
  find_uses(stored, used);
  std::vector<BlockId> split_of(n_blocks);
  for (uint32_t i = 0; i < n_blocks; ++i) {
    const hir::Terminator& terminator = function_.blocks[BlockId{i}].terminator;
    if (terminator.kind == TerminatorKind::Branch) {
      split_of[terminator.join.index] = {i};
    }
  }
  SparseSet needed(function_.values.size() + function_.places.size());
  for (uint32_t i = n_blocks; i-- > 0;) {
    const hir::Block& block = function_.blocks[BlockId{i}];
    needed.clear();
    need_behind(block.terminator, needed);
    for (size_t k = block.instructions.size(); k-- > 0;) {
      const Instruction& instruction = function_.instructions[block.instructions[k]];
      if (instruction.opcode == hir::Opcode::Call) {
        for (uint32_t v = instruction.results.begin; v < instruction.results.end; ++v) {
          needed.erase(v);
        }
        if (program_.is_coordinator(instruction.item)) {
          needed_behind_.emplace(block.instructions[k].index, needed.sorted());
        }
      }
      use_before(instruction, needed);
    }
    needed_[i] = needed.sorted();
    if (!split_of[i].has_value()) {
      continue;
    }
    for (uint32_t number : needed_[i]) {
      const Thing thing = this->thing(number);
      const bool is_changed =
          thing.kind == Thing::Kind::Place && is_within(stored[thing.index], split_of[i].index, i);
      const auto uses = used.find(number);
      const bool is_used_up = uses != used.end() && is_within(uses->second, split_of[i].index, i);
      if (is_changed || is_used_up) {
        results_[i].push_back(thing);
      }
    }
  }
}

/// What is needed where a block ends.
void FunctionFacts::need_behind(const hir::Terminator& terminator, SparseSet& needed) const {
  switch (terminator.kind) {
    case TerminatorKind::Return:
      for (hir::ValueId value : function_.operands_of(terminator)) {
        needed.insert(value.index);
      }
      return;
    case TerminatorKind::Jump:
      for (Thing thing : results_[terminator.targets[0].index]) {
        needed.insert(number(thing));
      }
      return;
    case TerminatorKind::Branch:
      needed.insert_all(needed_[terminator.join.index]);
      for (Thing thing : results_[terminator.join.index]) {
        needed.erase(number(thing));
      }
      needed.insert_all(needed_[terminator.targets[0].index]);
      needed.insert_all(needed_[terminator.targets[1].index]);
      needed.insert(terminator.condition.index);
      return;
    case TerminatorKind::None:
      return;
  }
}

}  // namespace tacet::cps
