#include "compiler/front/hir/function_writer.h"

namespace tacet::hir {

void FunctionWriter::enter(BlockId block) {
  block_ = block;
  loaded_.clear();
  begin_part();
}

auto FunctionWriter::slice(std::span<const ValueId> values) -> Slice {
  const auto begin = static_cast<uint32_t>(function_.operands.size());
  function_.operands.insert(function_.operands.end(), values.begin(), values.end());
  return {begin, static_cast<uint32_t>(function_.operands.size())};
}

void FunctionWriter::link(BlockId target) {
  function_.blocks[target].predecessors.push_back(block_);
}

void FunctionWriter::terminate(Terminator terminator) {
  end_part();
  function_.blocks[block_].terminator = terminator;
  for (BlockId target : successors(terminator)) {
    link(target);
  }
}

void FunctionWriter::jump(BlockId target) {
  Terminator terminator;
  terminator.kind = TerminatorKind::Jump;
  terminator.targets[0] = target;
  terminate(terminator);
}

void FunctionWriter::branch(ValueId condition, BlockId on_true, BlockId on_false, BlockId join,
                            uint32_t node) {
  Terminator terminator;
  terminator.kind = TerminatorKind::Branch;
  terminator.condition = condition;
  terminator.targets = {on_true, on_false};
  terminator.join = join;
  terminator.node = node;
  terminate(terminator);
}

void FunctionWriter::give_back(std::span<const ValueId> values, uint32_t node) {
  Terminator terminator;
  terminator.kind = TerminatorKind::Return;
  terminator.operands = slice(values);
  terminator.node = node;
  terminate(terminator);
}

auto FunctionWriter::add(Instruction instruction, std::span<const ValueId> operands,
                         std::span<const types::TypeId> results) -> InstructionId {
  instruction.operands = slice(operands);
  instruction.results.begin = static_cast<uint32_t>(function_.values.size());
  const InstructionId id{static_cast<uint32_t>(function_.instructions.size())};
  for (types::TypeId type : results) {
    function_.values.add({.type = type, .definition = id, .name = {}, .node = instruction.node});
  }
  instruction.results.end = static_cast<uint32_t>(function_.values.size());
  function_.instructions.add(instruction);
  function_.blocks[block_].instructions.push_back(id);
  return id;
}

auto FunctionWriter::value(Instruction instruction, std::span<const ValueId> operands,
                           types::TypeId type) -> ValueId {
  const InstructionId id = add(instruction, operands, std::span(&type, 1));
  return function_.result_of(function_.instructions[id]);
}

void FunctionWriter::store(PlaceId place, ValueId value, uint32_t node) {
  Instruction store;
  store.opcode = Opcode::Store;
  store.node = node;
  store.place = place;
  add(store, std::span(&value, 1), {});
  forget(place);
}

auto FunctionWriter::load(PlaceId place, uint32_t node) -> ValueId {
  if (auto found = loaded_.find(place); found != loaded_.end()) {
    return found->second;
  }
  Instruction load;
  load.opcode = Opcode::Load;
  load.node = node;
  load.place = place;
  const ValueId result = value(load, {}, function_.places[place].type);
  function_.values[result].name = function_.places[place].name;
  loaded_.emplace(place, result);
  return result;
}

auto FunctionWriter::borrow(PlaceId place, types::TypeId type, uint32_t node) -> ValueId {
  Instruction borrow;
  borrow.opcode = Opcode::Borrow;
  borrow.node = node;
  borrow.place = place;
  const ValueId result = value(borrow, {}, type);
  function_.values[result].name = function_.places[place].name;
  return result;
}

void FunctionWriter::annotate_entry(Instruction annotation) {
  annotation.is_at_entry = true;
  // What the part declares itself is not there yet where it begins: it is meant where it stands.
  if (annotation.place.has_value() && annotation.place.index >= part_places_) {
    add(annotation, {}, {});
    return;
  }
  const InstructionId id = function_.instructions.add(annotation);
  std::vector<InstructionId>& instructions = function_.blocks[block_].instructions;
  instructions.insert(instructions.begin() + static_cast<ptrdiff_t>(part_begin_), id);
}

void FunctionWriter::end_part() {
  for (const Instruction& annotation : at_exit_) {
    add(annotation, {}, {});
  }
  at_exit_.clear();
}

void FunctionWriter::begin_part() {
  part_begin_ = function_.blocks[block_].instructions.size();
  part_places_ = function_.places.size();
}

}  // namespace tacet::hir
