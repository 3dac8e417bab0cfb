#include "compiler/run/cps/lowering.h"

// What is read from places and written to them.

namespace tacet::cps {

using hir::Instruction;
using hir::PlaceId;

void FunctionLowering::load(const Instruction& instruction) {
  const ValueId at = place(instruction.place);
  if (facts_->storage(instruction.place) == Storage::Promoted) {
    set_result(instruction, at);
    return;
  }
  Value value;
  value.type = program_.type(function_->places[instruction.place].type);
  value.tags = tags(value.type, {});
  value.tags.val = content(at);
  value.tags.val.quotient = inside(value.tags.val.quotient);
  value.name = program_.name(function_->places[instruction.place].name);
  Command command;
  command.opcode = Opcode::Load;
  command.source = source(instruction.node);
  set_result(instruction, emit(command, {at}, {value}));
}

/// What a reference to one of several variables refers to.
void FunctionLowering::peek(const Instruction& instruction) {
  const ValueId at = any(function_->operands_of(instruction)[0]);
  const hir::ValueId result = function_->result_of(instruction);
  Value value;
  value.type = program_.type(function_->values[result].type);
  value.tags = tags(value.type, inside(content(at).quotient));
  Command command;
  command.opcode = Opcode::Load;
  command.source = source(instruction.node);
  set_result(instruction, proven(emit(command, {at}, {value}), quotient(result)));
}

void FunctionLowering::store(const Instruction& instruction) {
  const hir::ValueId stored = function_->operands_of(instruction)[0];
  const hir::Opcode origin = function_->definition_of(stored).opcode;
  if (origin == hir::Opcode::Written) {
    return;  // it is there already
  }
  if (origin == hir::Opcode::Overwritten) {
    // So it is here; but what it is, only the text says.
    const ValueId at = place(instruction.place);
    if (has_content(kind(at))) {
      content(at).quotient = {};
    }
    places_[instruction.place.index] = proven(at, quotient(stored));
    return;
  }
  if (function_->places[instruction.place].kind == hir::PlaceKind::Either) {
    choose(instruction);
    return;
  }
  if (facts_->binds(instruction)) {
    places_[instruction.place.index] = any(stored);
    return;
  }
  const TypeId type = program_.type(function_->places[instruction.place].type);
  if (facts_->storage(instruction.place) == Storage::Promoted) {
    places_[instruction.place.index] =
        facts_->is_remote(instruction.place) ? any(stored) : convert(local(stored), type);
    return;
  }
  const ValueId value = convert(local(stored), type);
  const ValueId at = place(instruction.place);
  Command command;
  command.opcode = Opcode::Store;
  command.source = source(instruction.node);
  emit(command, {at, value}, {});
  content(at) = {inside(funclet().values[value].tags.val.quotient), Flow::Usable};
}

/// One of several references that are given back. None to a variable of this function may be.
void FunctionLowering::choose(const Instruction& store) {
  const PlaceId chosen = facts_->chosen(store);
  if (facts_->storage(chosen) == Storage::Allocated) {
    for (const hir::Block& block : function_->blocks.values()) {
      if (block.terminator.kind == hir::TerminatorKind::Return) {
        fail(FailReason::DanglingReference, {}, block.terminator.node);
      }
    }
  }
  places_[store.place.index] = place(chosen);
}

/// A store through a reference to one of several variables.
void FunctionLowering::poke(const Instruction& instruction) {
  std::span<const hir::ValueId> operands = function_->operands_of(instruction);
  const ValueId at = any(operands[0]);
  Type stored = program_.program().types[funclet().values[at].type];
  stored.kind = TypeKind::Value;
  const ValueId value = convert(local(operands[1]), program_.type(stored));
  Command command;
  command.opcode = Opcode::Store;
  command.source = source(node(instruction.node).child(syntax::Field::Target).index());
  emit(command, {at, value}, {});
  content(at) = {};
}

}  // namespace tacet::cps
