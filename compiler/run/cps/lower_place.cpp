#include "compiler/run/cps/lowering.h"

// What is read from places and written to them.

namespace tacet::cps {

using hir::Instruction;
using hir::PlaceId;

static void choose(FunctionLowering& lowering, const hir::Instruction& store);

void load(FunctionLowering& lowering, const Instruction& instruction) {
  const ValueId at = place(lowering, instruction.place);
  if (lowering.facts->storage(instruction.place) == Storage::Promoted) {
    set_result(lowering, instruction, at);
    return;
  }
  Value value;
  value.type = lowering.program.type(lowering.function->places[instruction.place].type);
  value.tags = tags(lowering, value.type, {});
  value.tags.val = content(lowering, at);
  value.tags.val.quotient = inside(lowering, value.tags.val.quotient);
  value.name = lowering.program.name(lowering.function->places[instruction.place].name);
  Command command;
  command.opcode = Opcode::Load;
  command.source = source(lowering, instruction.node);
  set_result(lowering, instruction, emit(lowering, command, {at}, {value}));
}

/// What a reference to one of several variables refers to.
void peek(FunctionLowering& lowering, const Instruction& instruction) {
  const ValueId at = any(lowering, lowering.function->operands_of(instruction)[0]);
  const hir::ValueId result = lowering.function->result_of(instruction);
  Value value;
  value.type = lowering.program.type(lowering.function->values[result].type);
  value.tags = tags(lowering, value.type, inside(lowering, content(lowering, at).quotient));
  Command command;
  command.opcode = Opcode::Load;
  command.source = source(lowering, instruction.node);
  set_result(
      lowering, instruction,
      proven(lowering, emit(lowering, command, {at}, {value}), quotient_of(lowering, result)));
}

void store(FunctionLowering& lowering, const Instruction& instruction) {
  const hir::ValueId stored = lowering.function->operands_of(instruction)[0];
  const hir::Opcode origin = lowering.function->definition_of(stored).opcode;
  if (origin == hir::Opcode::Written) {
    return;  // it is there already
  }
  if (origin == hir::Opcode::Overwritten) {
    // True here; but its type is only in the text.
    const ValueId at = place(lowering, instruction.place);
    if (has_content(kind_of(lowering, at))) {
      content(lowering, at).quotient = {};
    }
    lowering.places[instruction.place.index] = proven(lowering, at, quotient_of(lowering, stored));
    return;
  }
  if (lowering.function->places[instruction.place].kind == hir::PlaceKind::Either) {
    choose(lowering, instruction);
    return;
  }
  if (lowering.facts->binds(instruction)) {
    lowering.places[instruction.place.index] = any(lowering, stored);
    return;
  }
  const TypeId type = lowering.program.type(lowering.function->places[instruction.place].type);
  if (lowering.facts->storage(instruction.place) == Storage::Promoted) {
    lowering.places[instruction.place.index] =
        lowering.facts->is_remote(instruction.place)
            ? any(lowering, stored)
            : convert(lowering, local(lowering, stored), type);
    return;
  }
  const ValueId value = convert(lowering, local(lowering, stored), type);
  const ValueId at = place(lowering, instruction.place);
  Command command;
  command.opcode = Opcode::Store;
  command.source = source(lowering, instruction.node);
  emit(lowering, command, {at, value}, {});
  content(lowering, at) = {
      inside(lowering, current_funclet(lowering).values[value].tags.val.quotient), Flow::Usable};
}

/// One of several references that are given back. None to a variable of this function may be.
static void choose(FunctionLowering& lowering, const Instruction& store) {
  const PlaceId chosen = lowering.facts->chosen(store);
  if (lowering.facts->storage(chosen) == Storage::Allocated) {
    for (const hir::Block& block : lowering.function->blocks.values()) {
      if (block.terminator.kind == hir::TerminatorKind::Return) {
        fail(lowering, FailReason::DanglingReference, {}, block.terminator.node);
      }
    }
  }
  lowering.places[store.place.index] = place(lowering, chosen);
}

/// A store through a reference to one of several variables.
void poke(FunctionLowering& lowering, const Instruction& instruction) {
  std::span<const hir::ValueId> operands = lowering.function->operands_of(instruction);
  const ValueId at = any(lowering, operands[0]);
  Type stored = lowering.program.program().types[current_funclet(lowering).values[at].type];
  stored.kind = TypeKind::Value;
  const ValueId value =
      convert(lowering, local(lowering, operands[1]), lowering.program.type(stored));
  Command command;
  command.opcode = Opcode::Store;
  command.source =
      source(lowering, node_at(lowering, instruction.node).child(syntax::Field::Target).index());
  emit(lowering, command, {at, value}, {});
  content(lowering, at) = {};
}

}  // namespace tacet::cps
