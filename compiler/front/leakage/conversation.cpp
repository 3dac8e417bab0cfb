#include "compiler/front/leakage/conversation.h"

namespace tacet::leakage {

using hir::BlockId;
using hir::Instruction;
using hir::Opcode;
using hir::PlaceId;
using hir::TerminatorKind;
using hir::ValueId;
using names::Device;

static constexpr uint64_t kNothing = 0;

Conversation::Conversation(const hir::Function& function, const Speaks& speaks,
                           const DeviceOf& device_of)
    : function_(function),
      by_place_(function.places.size()),
      by_value_(function.values.size()),
      stops_(function.blocks.size()),
      traces_(function.blocks.size(), kNothing) {
  find_devices(device_of);
  find_stops();
  find_traces(speaks);
}

/// An encoder that a caller gave is for the device whose functions are called on it.
void Conversation::find_device_of(ValueId handle, Device device) {
  by_value_[handle.index] = device;
  const Instruction& from = function_.definition_of(handle);
  if (from.opcode == Opcode::Load) {
    by_place_[from.place.index] = device;
  }
}

void Conversation::find_devices(const DeviceOf& device_of) {
  for (const hir::Block& block : function_.blocks.values()) {
    for (const hir::InstructionId id : block.instructions) {
      const Instruction& instruction = function_.instructions[id];
      const auto operands = function_.operands_of(instruction);
      if (instruction.opcode == Opcode::EncodeBegin) {
        by_value_[instruction.results.begin] = instruction.device;
      } else if (instruction.opcode == Opcode::Submit) {
        by_value_[instruction.results.begin] = by_value_[operands[0].index];
      } else if (instruction.opcode == Opcode::Load) {
        by_value_[instruction.results.begin] = by_place_[instruction.place.index];
      } else if (instruction.opcode == Opcode::Store) {
        by_place_[instruction.place.index] = by_value_[operands[0].index];
      } else if (instruction.opcode == Opcode::EncodeCall && !by_value_[operands[0].index] &&
                 instruction.item.has_value()) {
        find_device_of(operands[0], device_of(instruction.item));
      }
    }
  }
}

auto Conversation::device(ValueId handle) const -> std::optional<Device> {
  if (by_value_[handle.index]) {
    return by_value_[handle.index];
  }
  // It may have been found out behind the use.
  const Instruction& from = function_.definition_of(handle);
  return from.opcode == Opcode::Load ? by_place_[from.place.index] : std::nullopt;
}

auto Conversation::is_private(ValueId handle) const -> bool {
  const std::optional<Device> found = device(handle);
  return !found || *found == Device::He || *found == Device::Mpc;
}

void Conversation::find_stops() {
  for (uint32_t i = 0; i < function_.blocks.size(); ++i) {
    const hir::Terminator& end = function_.blocks[BlockId{i}].terminator;
    if (end.kind == TerminatorKind::Branch) {
      for (const BlockId target : end.targets) {
        if (target != end.join) {
          stops_[target.index] = end.join;
        }
      }
      if (end.join.has_value()) {
        stops_[end.join.index] = stops_[i];
      }
    } else if (end.kind == TerminatorKind::Jump && end.targets[0] != stops_[i]) {
      stops_[end.targets[0].index] = stops_[i];
    }
  }
}

/// The encoder's name stands for it: two that are the same to the evaluator have the same name.
auto Conversation::name_of(ValueId handle) const -> uint64_t {
  const Instruction& from = function_.definition_of(handle);
  const bool is_loaded = from.opcode == Opcode::Load;
  return is_loaded ? function_.places[from.place].name.index : Name::kNone;
}

/// What addresses the device of the handle that it is given.
static auto addresses_device(Opcode opcode) -> bool {
  return opcode == Opcode::EncodeCopy || opcode == Opcode::EncodeCall || opcode == Opcode::Submit ||
         opcode == Opcode::Await;
}

auto Conversation::event(const Instruction& instruction, const Speaks& speaks)
    -> std::optional<uint64_t> {
  uint64_t said = static_cast<uint64_t>(instruction.opcode);
  if (instruction.opcode == Opcode::EncodeBegin) {
    const bool is_device_private =
        instruction.device == Device::He || instruction.device == Device::Mpc;
    return is_device_private
               ? std::optional(hash_combine(said, static_cast<uint64_t>(instruction.device)))
               : std::nullopt;
  }
  if (instruction.opcode == Opcode::Call) {
    return speaks(instruction.item) ? std::optional(hash_combine(said, instruction.item.index))
                                    : std::nullopt;
  }
  if (!addresses_device(instruction.opcode)) {
    return std::nullopt;
  }
  const ValueId handle = function_.operands_of(instruction)[0];
  if (!is_private(handle)) {
    return std::nullopt;
  }
  said = hash_combine(said, name_of(handle));
  said = hash_combine(said, instruction.item.index);
  said = hash_combine(said, instruction.is_public ? 1 : 0);
  for (uint32_t i = 0; i < instruction.results.size(); ++i) {
    said = hash_combine(said, function_.values[function_.result_of(instruction, i)].name.index);
  }
  return said;
}

/// From behind: what is said from a block on is what it says and what is said from its end on.
void Conversation::find_traces(const Speaks& speaks) {
  const auto from = [&](BlockId block, BlockId stop) {
    return block == stop ? kNothing : traces_[block.index];
  };
  for (auto i = static_cast<uint32_t>(function_.blocks.size()); i-- > 0;) {
    const hir::Block& block = function_.blocks[BlockId{i}];
    const hir::Terminator& end = block.terminator;
    uint64_t trace = kNothing;
    if (end.kind == TerminatorKind::Jump) {
      trace = from(end.targets[0], stops_[i]);
    } else if (end.kind == TerminatorKind::Branch) {
      trace = end.join.has_value() ? from(end.join, stops_[i]) : kNothing;
      const uint64_t on_true = from(end.targets[0], end.join);
      const uint64_t both_sides = on_true == from(end.targets[1], end.join)
                                      ? on_true
                                      : hash_combine(on_true, i);  // like no other
      trace = both_sides == kNothing ? trace : hash_combine(both_sides, trace);
    }
    for (size_t k = block.instructions.size(); k-- > 0;) {
      const Instruction& instruction = function_.instructions[block.instructions[k]];
      if (const std::optional<uint64_t> said = event(instruction, speaks)) {
        is_visible_ = true;
        trace = hash_combine(*said, trace);
      }
    }
    traces_[i] = trace;
  }
}

auto Conversation::is_same_on_both_sides(BlockId block) const -> bool {
  const hir::Terminator& end = function_.blocks[block].terminator;
  const auto from = [&](BlockId target) {
    return target == end.join ? kNothing : traces_[target.index];
  };
  return from(end.targets[0]) == from(end.targets[1]);
}

}  // namespace tacet::leakage
