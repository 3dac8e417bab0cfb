#include "compiler/run/interpret/machine.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/run/interpret/machine_state.h"
#include "compiler/run/interpret/machine_step.h"

namespace tacet::interpret {

Machine::Machine(const Program& code, const MachineOptions& given_options)
    : program(code), options(given_options), stack(given_options.memory_limit_bytes) {
  for (const ExternFunction& declared : code.externs) {
    auto found = given_options.externs.find(declared.name);
    externs.push_back(found == given_options.externs.end() ? nullptr : &found->second);
  }
  for (const DrawPlace& place : code.draws) {
    draws.emplace_back().append(given_options.random_key, place.bits);
  }
}

auto spend(Machine& machine, uint64_t n_steps) -> bool {
  machine.fuel -= static_cast<int64_t>(n_steps);
  if (machine.fuel > 0) [[likely]] {
    return true;
  }
  machine.result.n_steps += static_cast<uint64_t>(kStepsBetweenPolls - machine.fuel);
  machine.fuel = kStepsBetweenPolls;
  if (machine.options.progress) {
    machine.options.progress(machine.result.n_steps);
  }
  if (machine.options.cancellation.is_cancelled()) {
    fail(machine, Fault::Cancelled);
    return false;
  }
  return true;
}

/// Runs from `pc` until the outermost function returns or something fails.
static void execute(Machine& machine) {
  for (;;) {
    const Flow flow = step(machine, machine.program.instructions[machine.pc]);
    if (flow == Flow::Next) {
      ++machine.pc;
    } else if (flow == Flow::End) {
      return;
    }
  }
}

static auto run(Machine& machine, uint32_t function, std::span<const Cell> arguments)
    -> MachineResult {
  const Function& entry = machine.program.functions[function];
  TACET_CHECK(arguments.size() == entry.n_parameter_cells, "wrong number of argument cells");
  if (!enter(machine, entry)) {
    machine.pc = entry.entry;
    machine.result.failure.fault = Fault::OutOfMemory;
    machine.result.failure.instruction = entry.entry;
    return machine.result;
  }
  std::copy(arguments.begin(), arguments.end(), machine.slots);
  machine.slots[-2] = kHostFrame;
  machine.slots[-1] = 0;
  execute(machine);
  if (machine.result.is_done) {
    machine.result.results.assign(machine.slots, machine.slots + entry.n_result_cells);
  } else {
    trace(machine, machine.result.failure);
  }
  machine.result.n_steps += static_cast<uint64_t>(kStepsBetweenPolls - machine.fuel);
  machine.result.peak_memory_bytes = machine.highest * sizeof(Cell);
  return std::move(machine.result);
}

auto run_program(const Program& program, uint32_t function, std::span<const Cell> arguments,
                 const MachineOptions& options) -> MachineResult {
  Machine machine(program, options);
  return run(machine, function, arguments);
}

}  // namespace tacet::interpret
