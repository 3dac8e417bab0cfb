#include <algorithm>
#include <cstring>

#include "engine/runtime/coordinator_machine.h"

// The instructions of the coordinator machine that stay in their funclet.

namespace tacet::engine {

using Opcode = CoordinatorOpcode;
using Instruction = CoordinatorInstruction;

static constexpr size_t kShownInnerCallers = 6;
static constexpr size_t kShownOuterCallers = 2;
static constexpr unsigned kDeviceShift = 60;

auto CoordinatorMachine::fail(CoordinatorFault fault, Cell left, Cell right) -> bool {
  failure_ = {};
  failure_.fault = fault;
  failure_.instruction = pc_;
  failure_.left = left;
  failure_.right = right;
  failure_.kernel = kNone;
  trace();
  return false;
}

/// Who waits for a result of a call, from the top of the stack down to the host.
void CoordinatorMachine::trace() {
  uint64_t n_calls = 0;
  std::vector<uint32_t> outer;
  uint64_t at = stack_.size();
  while (at > 0 && stack_.cells()[at - 1] < program_.joins.size()) {
    const Join& join = program_.joins[stack_.cells()[at - 1]];
    at -= uint64_t{program_.lists[join.kept].n_cells} + 1;
    if (join.call == kNone) {
      continue;
    }
    ++n_calls;
    if (failure_.callers.size() < kShownInnerCallers) {
      failure_.callers.push_back(join.call);
      continue;
    }
    outer.push_back(join.call);
    if (outer.size() > kShownOuterCallers) {
      outer.erase(outer.begin());
    }
  }
  failure_.n_inner_callers = static_cast<uint32_t>(failure_.callers.size());
  failure_.callers.insert(failure_.callers.end(), outer.begin(), outer.end());
  failure_.n_calls_left_out = n_calls - failure_.callers.size();
}

auto CoordinatorMachine::binary(const Instruction& at) -> bool {
  const auto operation = static_cast<BinaryOperation>(at.operation);
  const uint32_t* operands = at.operands;
  const uint32_t left_stride = operands[4] & 1U;
  const uint32_t right_stride = operands[4] >> 1 & 1U;
  if (operands[3] == 1 && is_integer(at.type.kind)) [[likely]] {
    const Cell left = frame_[operands[1]];
    const Cell right = frame_[operands[2]];
    if (operation == BinaryOperation::Add) {
      frame_[operands[0]] = wrapped(at.type.kind, left + right);
      return true;
    }
    if (operation == BinaryOperation::Sub) {
      frame_[operands[0]] = wrapped(at.type.kind, left - right);
      return true;
    }
  }
  for (uint32_t i = 0; i < operands[3]; ++i) {
    const Cell left = frame_[operands[1] + i * left_stride];
    const Cell right = frame_[operands[2] + i * right_stride];
    const ArithmeticResult result = evaluate(operation, at.type, left, right);
    if (result.fault != ArithmeticFault::None) [[unlikely]] {
      return fail(result.fault == ArithmeticFault::DivisionByZero
                      ? CoordinatorFault::DivisionByZero
                      : CoordinatorFault::ShiftOutOfRange,
                  left, right);
    }
    frame_[operands[0] + i] = result.value;
  }
  return true;
}

static void unary(const Instruction& at, Cell* frame) {
  for (uint32_t i = 0; i < at.operands[2]; ++i) {
    frame[at.operands[0] + i] =
        evaluate(static_cast<UnaryOperation>(at.operation), at.type, frame[at.operands[1] + i]);
  }
}

static void cast_cells(const Instruction& at, Cell* frame) {
  const ElementType from{static_cast<ElementKind>(at.operands[4] & 0xffU),
                         static_cast<uint8_t>(at.operands[4] >> 8)};
  for (uint32_t i = 0; i < at.operands[2]; ++i) {
    frame[at.operands[0] + i] = cast(from, at.type, frame[at.operands[1] + i * at.operands[3]]);
  }
}

static void index(const Instruction& at, Cell* frame) {
  const Cell index = frame[at.operands[2]];
  const uint32_t width = at.operands[4];
  Cell* to = frame + at.operands[0];
  if (index < at.operands[3]) {
    std::memcpy(to, frame + at.operands[1] + index * width, width * sizeof(Cell));
  } else {
    std::fill_n(to, width, Cell{0});
  }
}

/// Changes one element.
static void put(const Instruction& at, Cell* frame) {
  const Cell index = frame[at.operands[1]];
  const uint32_t width = at.operands[4];
  if (index < at.operands[3]) {
    std::memmove(frame + at.operands[0] + index * width, frame + at.operands[2],
                 width * sizeof(Cell));
  }
}

static void reduce(const Instruction& at, Cell* frame) {
  const auto operation = static_cast<BinaryOperation>(at.operation);
  const uint64_t n_outer = at.operands[2];
  const uint64_t n_reduced = at.operands[3];
  const uint64_t n_inner = at.operands[4];
  const Cell identity = operation == BinaryOperation::Add ? Cell{0} : one(at.type);
  const Cell* source = frame + at.operands[1];
  for (uint64_t outer = 0; outer < n_outer; ++outer) {
    for (uint64_t inner = 0; inner < n_inner; ++inner) {
      Cell total = identity;
      for (uint64_t k = 0; k < n_reduced; ++k) {
        const Cell next = source[(outer * n_reduced + k) * n_inner + inner];
        total = evaluate(operation, at.type, total, next).value;
      }
      frame[at.operands[0] + outer * n_inner + inner] = total;
    }
  }
}

/// Element i is the one at (i + distance) mod n.
static void rotate(const Instruction& at, Cell* frame) {
  const auto n = static_cast<int64_t>(at.operands[3]);
  const uint64_t width = at.operands[4];
  if (n == 0) {
    return;
  }
  const int64_t distance = static_cast<int64_t>(frame[at.operands[2]]) % n;
  const auto first = static_cast<uint64_t>(distance < 0 ? distance + n : distance);
  const Cell* source = frame + at.operands[1];
  Cell* to = frame + at.operands[0];
  const uint64_t n_behind = static_cast<uint64_t>(n) - first;
  std::memmove(to, source + first * width, n_behind * width * sizeof(Cell));
  std::memmove(to + n_behind * width, source, first * width * sizeof(Cell));
}

/// The program counter so that the next instruction is `target`.
void CoordinatorMachine::go(uint32_t target) {
  pc_ = target - 1;
}

/// A variable into the frame.
auto CoordinatorMachine::load(const Instruction& at) -> bool {
  const uint32_t* operands = at.operands;
  const Cell* cells = stack_.variable(frame_[operands[1]], operands[2]);
  if (cells == nullptr) {
    return fail(CoordinatorFault::DanglingReference);
  }
  std::memcpy(frame_.data() + operands[0], cells, operands[2] * sizeof(Cell));
  return true;
}

auto CoordinatorMachine::store(const Instruction& at) -> bool {
  const uint32_t* operands = at.operands;
  Cell* cells = stack_.variable(frame_[operands[0]], operands[2]);
  if (cells == nullptr) {
    return fail(CoordinatorFault::DanglingReference);
  }
  std::memcpy(cells, frame_.data() + operands[1], operands[2] * sizeof(Cell));
  return true;
}

/// True if all went well; else the failure says what did not.
auto CoordinatorMachine::check(const Outcome& outcome) -> bool {
  if (outcome.kind == Outcome::Kind::Done) [[likely]] {
    return true;
  }
  switch (outcome.kind) {
    case Outcome::Kind::MissingKernel:
      fail(CoordinatorFault::MissingKernel);
      break;
    case Outcome::Kind::FailedKernel:
      fail(CoordinatorFault::FailedKernel, static_cast<Cell>(int64_t{outcome.status}));
      break;
    case Outcome::Kind::Misuse:
    case Outcome::Kind::Done:
      fail(CoordinatorFault::DeviceMisuse);
      return false;
  }
  if (outcome.site < program_.instructions.size()) {
    // Who called where this was encoded is known only if it is here that it was.
    const auto function = [&](uint32_t at) {
      return program_.funclets[funclet_at(program_, at)].function;
    };
    if (function(outcome.site) != function(pc_)) {
      failure_.callers.clear();
      failure_.n_inner_callers = 0;
      failure_.n_calls_left_out = 0;
    }
    failure_.instruction = outcome.site;
    const Instruction& site = program_.instructions[outcome.site];
    failure_.kernel = site.operands[site.opcode == Opcode::Run ? 1 : 2];
  }
  return false;
}

/// Calls are dynamic words with the top bit set.
void CoordinatorMachine::split_draws(const Instruction& at) {
  DynamicRngState state =
      dynamic_state_of(std::span(frame_).subspan(at.operands[1], kRngStateCells));
  state.append(random_key_, uint64_t{1} << 63 | at.operands[2]);
  const auto cells = cells_of(state);
  std::copy(cells.begin(), cells.end(), frame_.begin() + at.operands[0]);
}

auto CoordinatorMachine::run_here(const Instruction& at) -> bool {
  const CoordinatorKernel& kernel = program_.kernels[at.operands[1]];
  const uint32_t n = program_.lists[at.operands[2]].n_cells;
  gather(at.operands[2], scratch_.data());
  Outcome outcome = run_kernel(kernel, kernels_[at.operands[1]], {scratch_.data(), n},
                               {frame_.data() + at.operands[0], kernel.outputs.size()});
  outcome.site = pc_;
  return check(outcome);
}

/// Handles say which device they are of.
auto CoordinatorMachine::device_of(Cell handle, Device*& device) -> bool {
  const uint64_t number = handle >> kDeviceShift;
  if (number >= devices_.size() || devices_[number] == nullptr) {
    return fail(CoordinatorFault::DeviceMisuse);
  }
  device = devices_[number];
  return true;
}

static auto id_of(Cell handle) -> Cell {
  return handle & ((Cell{1} << kDeviceShift) - 1);
}

auto CoordinatorMachine::encode_begin(const Instruction& at) -> bool {
  Device* device = nullptr;
  const Cell handle = Cell{at.operands[1]} << kDeviceShift;
  if (!device_of(handle, device)) {
    return false;
  }
  frame_[at.operands[0]] = handle | device->begin();
  return true;
}

auto CoordinatorMachine::encode_copy(const Instruction& at) -> bool {
  const uint32_t* operands = at.operands;
  Device* device = nullptr;
  const Cell encoder = frame_[operands[1]];
  if (!device_of(encoder, device)) {
    return false;
  }
  const RemoteId remote =
      device->copy(id_of(encoder), {frame_.data() + operands[2], operands[3]},
                   operands[4] != 0 ? Clearness::InTheClear : Clearness::Hidden);
  frame_[operands[0]] = remote | (encoder >> kDeviceShift << kDeviceShift);
  return true;
}

auto CoordinatorMachine::encode_run(const Instruction& at) -> bool {
  const Cell encoder = frame_[at.operands[1]];
  Device* device = nullptr;
  if (!device_of(encoder, device)) {
    return false;
  }
  const uint32_t n_grid = program_.lists[at.operands[3]].n_cells;
  const uint32_t n_inputs = program_.lists[at.operands[4]].n_cells;
  std::vector<Cell> given(size_t{n_grid} + n_inputs);
  gather(at.operands[3], given.data());
  gather(at.operands[4], given.data() + n_grid);
  std::transform(given.begin() + n_grid, given.end(), given.begin() + n_grid, id_of);
  const std::span<Cell> results(frame_.data() + at.operands[0],
                                program_.kernels[at.operands[2]].output_cells.size());
  device->call(id_of(encoder),
               {at.operands[2], {given.data(), n_grid}, {given.data() + n_grid, n_inputs}, pc_},
               results);
  for (Cell& result : results) {
    result |= encoder & ~((Cell{1} << kDeviceShift) - 1);
  }
  return true;
}

auto CoordinatorMachine::submit(const Instruction& at) -> bool {
  const Cell encoder = frame_[at.operands[1]];
  Device* device = nullptr;
  if (!device_of(encoder, device)) {
    return false;
  }
  frame_[at.operands[0]] = encoder;
  return check(device->submit(id_of(encoder)));
}

auto CoordinatorMachine::await(const Instruction& at) -> bool {
  const Cell future = frame_[at.operands[0]];
  Device* device = nullptr;
  return device_of(future, device) && check(device->await(id_of(future)));
}

auto CoordinatorMachine::fetch(const Instruction& at) -> bool {
  const uint32_t* operands = at.operands;
  const Cell remote = frame_[operands[1]];
  Device* device = nullptr;
  return device_of(remote, device) &&
         check(device->fetch(id_of(remote), {frame_.data() + operands[0], operands[2]}));
}

/// One instruction that does not end a funclet. False if it failed.
auto CoordinatorMachine::step(const Instruction& at) -> bool {
  Cell* frame = frame_.data();
  switch (at.opcode) {
    case Opcode::Constant:
      std::copy_n(program_.constants.begin() + at.operands[1], at.operands[2],
                  frame + at.operands[0]);
      return true;
    case Opcode::Binary:
      return binary(at);
    case Opcode::Zero:
      std::fill_n(frame + at.operands[0], at.operands[1], Cell{0});
      return true;
    case Opcode::Move:
      std::memmove(frame + at.operands[0], frame + at.operands[1], at.operands[2] * sizeof(Cell));
      return true;
    case Opcode::Unary:
      unary(at, frame);
      return true;
    case Opcode::Cast:
      cast_cells(at, frame);
      return true;
    case Opcode::Index:
      index(at, frame);
      return true;
    case Opcode::Put:
      put(at, frame);
      return true;
    case Opcode::CheckIndex:
      return frame[at.operands[0]] < at.operands[1] ||
             fail(CoordinatorFault::IndexOutOfRange, frame[at.operands[0]], at.operands[1]);
    case Opcode::Reduce:
      reduce(at, frame);
      return true;
    case Opcode::Rotate:
      rotate(at, frame);
      return true;
    case Opcode::SplitDraws:
      split_draws(at);
      return true;
    case Opcode::Repeat:
      if (++frame[at.operands[0]] < at.operands[1]) {
        go(at.operands[2]);
      }
      return true;
    case Opcode::Unless:
      if (frame[at.operands[0]] == 0) {
        go(at.operands[1]);
      }
      return true;
    case Opcode::Go:
      go(at.operands[0]);
      return true;
    case Opcode::Allocate:
      return stack_.allocate(at.operands[1], frame[at.operands[0]]) ||
             fail(CoordinatorFault::OutOfMemory);
    case Opcode::Release:
      return stack_.release(frame[at.operands[0]], at.operands[1]) ||
             fail(CoordinatorFault::BadProgram);
    case Opcode::Load:
      return load(at);
    case Opcode::Store:
      return store(at);
    case Opcode::Run:
      return run_here(at);
    case Opcode::EncodeBegin:
      return encode_begin(at);
    case Opcode::EncodeCopy:
      return encode_copy(at);
    case Opcode::EncodeRun:
      return encode_run(at);
    case Opcode::Submit:
      return submit(at);
    case Opcode::Await:
      return await(at);
    case Opcode::Fetch:
      return fetch(at);
    case Opcode::Fail:
      return fail(static_cast<CoordinatorFault>(at.operands[0]), at.operands[1]);
    case Opcode::Return:
    case Opcode::Jump:
    case Opcode::Select:
    case Opcode::Call:
    case Opcode::Yield:
      break;
  }
  return fail(CoordinatorFault::BadProgram);
}

}  // namespace tacet::engine
