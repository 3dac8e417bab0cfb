#include <algorithm>

#include "compiler/run/interpret/failure_diagnostic.h"
#include "compiler/run/interpret/machine_state.h"

// What a run leaves behind when it ends early.

namespace tacet::interpret {

void fail(Machine& machine, Fault fault, Cell left, Cell right) {
  machine.result.failure.fault = fault;
  machine.result.failure.instruction = machine.pc;
  machine.result.failure.left = left;
  machine.result.failure.right = right;
}

void fail(Machine& machine, ArithmeticFault fault, Cell left, Cell right) {
  fail(machine,
       fault == ArithmeticFault::DivisionByZero ? Fault::DivisionByZero : Fault::ShiftOutOfRange,
       left, right);
}

void trace(const Machine& machine, Failure& failure) {
  std::vector<uint32_t> outer;
  uint64_t n_calls = 0;
  uint64_t base = machine.base;
  while (machine.stack.cells() != nullptr && machine.stack.cells()[base] != kHostFrame) {
    auto caller = static_cast<uint32_t>(machine.stack.cells()[base]) - 1;
    base = machine.stack.cells()[base + 1];
    ++n_calls;
    if (failure.callers.size() < kShownInnerCallers) {
      failure.callers.push_back(caller);
      continue;
    }
    outer.push_back(caller);
    if (outer.size() > kShownOuterCallers) {
      outer.erase(outer.begin());
    }
  }
  failure.n_inner_callers = static_cast<uint32_t>(failure.callers.size());
  failure.callers.insert(failure.callers.end(), outer.begin(), outer.end());
  failure.n_calls_left_out = n_calls - failure.callers.size();
}

void note(Machine& machine, uint32_t instruction) {
  std::vector<uint32_t>& notes = machine.result.notes;
  if (std::find(notes.begin(), notes.end(), instruction) == notes.end()) {
    notes.push_back(instruction);
  }
}

}  // namespace tacet::interpret
