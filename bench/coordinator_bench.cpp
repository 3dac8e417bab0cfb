// The coordinator machine: funclets a second, and recursion of depth a million.

#include <benchmark/benchmark.h>

#include "compiler/run/cps/assemble.h"
#include "compiler/run/cps/lower.h"
#include "compiler/spec/program/frontend.h"
#include "engine/runtime/coordinator_machine.h"
#include "engine/runtime/host_device.h"

namespace tacet {
namespace {

constexpr const char* kProgram = R"(#version 0.1.0
tmln time(e: Event) -> Event { returns e }
sptl space(s: BufferSpace) -> BufferSpace { returns s }
val total(n: i64, sum: i64) -> i64 { returns sum if n == 0 else total(n - 1, sum + n) }
fn in_the_tail(n: i64, sum: i64) -> i64 impls total, time, space {
    if n == 0 { sum } else { in_the_tail(n - 1, sum + n) }
}
val deep(n: i64, unused: i64) -> i64 { returns 0 if n == 0 else deep(n - 1, unused) + n }
fn in_the_middle(n: i64, unused: i64) -> i64 impls deep, time, space {
    if n == 0 { 0 } else { in_the_middle(n - 1, unused) + n }
}
)";

auto assembled(const char* function) -> engine::CoordinatorProgram {
  program::Frontend frontend;
  const FileId file = frontend.set_file("bench.tacet", kProgram);
  const program::FrontendSnapshot snapshot = frontend.snapshot();
  const names::ItemId item = snapshot.find(file, names::Namespace::Callable, function);
  return cps::assemble(cps::lower(snapshot, std::span(&item, 1)).program).program;
}

void run(benchmark::State& state, const char* function) {
  const engine::CoordinatorProgram program = assembled(function);
  const std::vector<engine::Kernel> kernels;
  engine::HostDevice device(program, kernels);
  const std::vector<engine::Device*> devices(program.n_devices, &device);
  uint64_t n_steps = 0;
  uint64_t peak = 0;
  for (auto each : state) {
    engine::JoinStack stack(uint64_t{1} << 32);
    engine::CoordinatorMachine machine(program, kernels, devices, stack);
    auto now = machine.start(0, std::array<engine::Cell, 2>{1'000'000, 0});
    while (now == engine::CoordinatorMachine::State::Yielded) {
      now = machine.resume();
    }
    benchmark::DoNotOptimize(machine.results().data());
    n_steps += machine.n_steps();
    peak = stack.peak_bytes();
  }
  state.counters["funclets/s"] =
      benchmark::Counter(static_cast<double>(n_steps), benchmark::Counter::kIsRate);
  state.counters["peak_bytes"] = static_cast<double>(peak);
}

void recursion_in_the_tail(benchmark::State& state) {
  run(state, "in_the_tail");
}
void recursion_in_the_middle(benchmark::State& state) {
  run(state, "in_the_middle");
}
BENCHMARK(recursion_in_the_tail)->Unit(benchmark::kMillisecond);
BENCHMARK(recursion_in_the_middle)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacet
