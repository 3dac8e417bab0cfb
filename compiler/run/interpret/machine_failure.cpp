#include <algorithm>

#include "compiler/run/interpret/failure_diagnostic.h"
#include "compiler/run/interpret/machine_state.h"

// What a run leaves behind when it ends early.

namespace tacet::interpret {

void Machine::fail(Fault fault, Cell left, Cell right) {
  result_.failure.fault = fault;
  result_.failure.instruction = pc_;
  result_.failure.left = left;
  result_.failure.right = right;
}

void Machine::fail(ArithmeticFault fault, Cell left, Cell right) {
  fail(fault == ArithmeticFault::DivisionByZero ? Fault::DivisionByZero : Fault::ShiftOutOfRange,
       left, right);
}

void Machine::trace(Failure& failure) const {
  std::vector<uint32_t> outer;
  uint64_t n_calls = 0;
  uint64_t base = base_;
  while (stack_.cells() != nullptr && stack_.cells()[base] != kHostFrame) {
    auto caller = static_cast<uint32_t>(stack_.cells()[base]) - 1;
    base = stack_.cells()[base + 1];
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

void Machine::note(uint32_t instruction) {
  std::vector<uint32_t>& notes = result_.notes;
  if (std::find(notes.begin(), notes.end(), instruction) == notes.end()) {
    notes.push_back(instruction);
  }
}

}  // namespace tacet::interpret
