#include "compiler/run/interpret/origins.h"

#include <algorithm>
#include <cstring>

namespace tacet::interpret {

void Origins::set_controls(std::vector<OriginControl> controls) {
  controls_ = std::move(controls);
  show_top();
}

void Origins::leave() {
  controls_.pop_back();
  show_top();
}

void Origins::show_top() {
  control_ = controls_.empty() ? 0 : controls_.back().inputs;
  next_join_ = controls_.empty() ? kNowhere : controls_.back().join;
}

void Origins::enter_apart(const Machine& machine) {
  controls_.push_back({machine.base, kNowhere, true, 0});
  show_top();
}

void Origins::leave_apart() {
  while (!controls_.empty() && !controls_.back().is_apart) {
    controls_.pop_back();
  }
  if (!controls_.empty()) {
    leave();
  }
}

void Origins::branch(const Machine& machine, OriginSet condition) {
  const uint32_t join = joins_.of(*machine.function, machine.pc);
  if (!controls_.empty() && controls_.back().base == machine.base &&
      controls_.back().join == join && !controls_.back().is_apart) {
    controls_.back().inputs |= condition;
  } else {
    controls_.push_back({machine.base, join, false, control_ | condition});
  }
  show_top();
}

auto Origins::all_of(const OriginSet* sets, uint64_t n) -> OriginSet {
  OriginSet all = 0;
  for (uint64_t i = 0; i < n; ++i) {
    all |= sets[i];
  }
  return all;
}

void Origins::copy(OriginSet* to, const OriginSet* from, uint64_t n) {
  std::memmove(to, from, n * sizeof(OriginSet));
  if (control_ != 0) {
    for (uint64_t i = 0; i < n; ++i) {
      to[i] |= control_;
    }
  }
}

void Origins::repeat(const Machine& machine, const Instruction& at, OriginSet* slots) {
  const Instruction& body = machine.program.instructions[machine.pc + 1];
  OriginSet* to = slots + body.operands[0];
  const OriginSet* left = slots + body.operands[1];
  const OriginSet* right = slots + body.operands[2];
  for (uint64_t i = 0; i < at.operands[0]; ++i) {
    to[i] = left[i * at.operands[1]] | control_;
    if (is_binary(body.opcode)) {
      to[i] |= right[i * at.operands[2]];
    }
  }
}

/// A sum or product over the middle one of three extents.
static void follow_fold(const uint32_t* operands, OriginSet control, OriginSet* slots) {
  for (uint64_t outer = 0; outer < operands[2]; ++outer) {
    for (uint64_t inner = 0; inner < operands[4]; ++inner) {
      OriginSet all = control;
      for (uint64_t k = 0; k < operands[3]; ++k) {
        all |= slots[operands[1] + (outer * operands[3] + k) * operands[4] + inner];
      }
      slots[operands[0] + outer * operands[4] + inner] = all;
    }
  }
}

void Origins::apply(const Machine& machine, const uint32_t* operands, OriginSet* slots) {
  const FunctionPlace& place = machine.program.applied[operands[3]];
  const OriginSet all = all_of(slots + operands[1], place.n_first) |
                        all_of(slots + operands[2], place.n_second) | control_;
  std::fill_n(slots + operands[0], place.n_result, all);
}

void Origins::draw(const Machine& machine, const uint32_t* operands, OriginSet* slots) {
  const DrawPlace& place = machine.program.draws[operands[2]];
  std::fill_n(slots + operands[0], std::max<uint64_t>(place.extent, 1),
              all_of(slots + operands[1], kRngCells) |
                  all_of(slots + operands[3], n_arguments(place.function)) | control_);
}

void Origins::fetch(const Machine& machine, const uint32_t* operands, OriginSet* slots) {
  const OriginSet of_address = slots[operands[2]] | control_;
  const Cell address = machine.slots[operands[2]];
  for (uint64_t i = 0; i < operands[3]; ++i) {
    const OriginSet element =
        address == kOutside ? 0 : slots[operands[1] + address * operands[3] + i];
    slots[operands[0] + i] = element | of_address;
  }
}

void Origins::put(const Machine& machine, const uint32_t* operands, OriginSet* slots) {
  const Cell address = machine.slots[operands[1]];
  for (uint64_t i = 0; address != kOutside && i < operands[3]; ++i) {
    slots[operands[0] + address * operands[3] + i] =
        slots[operands[2] + i] | slots[operands[1]] | control_;
  }
}

void Origins::settle(const Machine& machine, const uint32_t* operands, const OriginSet* slots) {
  const Cell* asking = machine.stack.cells() + machine.top - kHeaderCells;
  const uint32_t slot =
      machine.program.instructions[static_cast<uint32_t>(asking[0]) - 1].operands[0];
  OriginSet* parameter = sets_.data() + asking[1] + kHeaderCells + slot;
  std::memmove(parameter + kSuspensionCells, slots + operands[0], operands[1] * sizeof(OriginSet));
}

void Origins::call_extern(const Machine& machine, const uint32_t* operands) {
  const ExternFunction& function = machine.program.externs[operands[0]];
  OriginSet* cells = sets_.data() + machine.top + kHeaderCells;
  std::fill_n(cells, function.outputs.size(), all_of(cells, function.n_input_cells) | control_);
}

void Origins::return_from(const Machine& machine, const uint32_t* operands, OriginSet* slots) {
  std::memmove(slots, slots + operands[0], operands[1] * sizeof(OriginSet));
  while (!controls_.empty() && controls_.back().base >= machine.base &&
         !controls_.back().is_apart) {
    leave();
  }
}

static void follow_reveal(const uint32_t* operands, OriginSet* slots) {
  for (uint64_t i = 0; i < operands[1]; ++i) {
    const OriginSet set = slots[operands[0] + i];
    slots[operands[0] + i] = (set | set >> 32) << 32;
  }
}

void Origins::follow_other(const Machine& machine, const Instruction& at) {
  OriginSet* const slots = sets_.data() + machine.base + kHeaderCells;
  const uint32_t* operands = at.operands;
  switch (at.opcode) {
    case Opcode::Const:
    case Opcode::Reference:
      slots[operands[0]] = control_;
      return;
#define TACET_BINARY(Name, mnemonic) case Opcode::Name:
#include "engine/program/common/binary_operations.def"
      slots[operands[0]] = slots[operands[1]] | slots[operands[2]] | control_;
      return;
    case Opcode::Negate:
    case Opcode::Not:
    case Opcode::Complement:
    case Opcode::Cast:
      slots[operands[0]] = slots[operands[1]] | control_;
      return;
    case Opcode::Move:
      copy(slots + operands[0], slots + operands[1], operands[2]);
      return;
    case Opcode::Zero:
      std::fill_n(slots + operands[0], operands[1], control_);
      return;
    case Opcode::Suspend:
      std::fill_n(slots + operands[0], kSuspensionCells, control_);
      return;
    case Opcode::Repeat:
      repeat(machine, at, slots);
      return;
    case Opcode::Sum:
    case Opcode::Product:
      follow_fold(operands, control_, slots);
      return;
    case Opcode::Apply:
      apply(machine, operands, slots);
      return;
    case Opcode::Rotate: {
      const uint64_t n_cells = uint64_t{operands[3]} * operands[4];
      std::fill_n(slots + operands[0], n_cells,
                  all_of(slots + operands[1], n_cells) | slots[operands[2]] | control_);
      return;
    }
    case Opcode::Index:
    case Opcode::CheckIndex:
      slots[operands[0]] |= slots[operands[1]] | control_;
      return;
    case Opcode::Fetch:
      fetch(machine, operands, slots);
      return;
    case Opcode::Put:
      put(machine, operands, slots);
      return;
    case Opcode::Load:
      copy(slots + operands[0], sets_.data() + machine.slots[operands[1]], operands[2]);
      return;
    case Opcode::Store:
      copy(sets_.data() + machine.slots[operands[0]], slots + operands[1], operands[2]);
      return;
    case Opcode::SplitRng:
      std::fill_n(slots + operands[0], kRngCells,
                  all_of(slots + operands[1], kRngCells) | slots[operands[2]] | control_);
      return;
    case Opcode::Draw:
      draw(machine, operands, slots);
      return;
    case Opcode::JumpIf:
    case Opcode::JumpUnless:
      return;  // `follow` has it
    case Opcode::Settle:
      settle(machine, operands, slots);
      return;
    case Opcode::Pass:
      copy(sets_.data() + machine.top + kHeaderCells + operands[0], slots + operands[1],
           operands[2]);
      return;
    case Opcode::Take:
      copy(slots + operands[0], sets_.data() + machine.top + kHeaderCells + operands[1],
           operands[2]);
      return;
    case Opcode::TailCall:
      std::memmove(slots, sets_.data() + machine.top + kHeaderCells,
                   machine.program.functions[operands[0]].n_parameter_cells * sizeof(OriginSet));
      return;
    case Opcode::CallExtern:
      call_extern(machine, operands);
      return;
    case Opcode::Return:
      return_from(machine, operands, slots);
      return;
    case Opcode::Reveal:
      follow_reveal(operands, slots);
      return;
    case Opcode::CheckLeast:
    case Opcode::CheckMost:
    case Opcode::CheckNorm:
    case Opcode::CheckReference:
    case Opcode::Jump:
    case Opcode::Loop:
    case Opcode::Force:
    case Opcode::Done:
    case Opcode::Need:
    case Opcode::Call:
    case Opcode::Fail:
    case Opcode::Note:
    case Opcode::Mark:
      return;
  }
}

}  // namespace tacet::interpret
