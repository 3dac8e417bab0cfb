// Kernels on a GPU, or on the driver that computes on the host: how long a submission takes that
// does next to nothing, and steps of Collatz's sequence a second beside one core of the host.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/run/coordinator_run.h"
#include "cli/run/gpu_kernels.h"

namespace tacet {
namespace {

using engine::Cell;

constexpr int kMostNumbers = 1 << 16;

constexpr const char* kKernel = R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer First { int first; };
layout(set = 0, binding = 1) writeonly buffer Steps { int steps[]; };
void main() {
    uint which = gl_GlobalInvocationID.x;
    int number = first + int(which);
    int count = 0;
    while (number > 1) {
        number = (number & 1) == 0 ? number / 2 : 3 * number + 1;
        ++count;
    }
    if (which < steps.length()) {
        steps[which] = count;
    }
}
)";

auto program_text(int64_t n_numbers) -> std::string {
  return fmt::format(R"(#version 0.1.0
tmln time(e: Event) -> Event {{ returns e }}
sptl space(s: BufferSpace) -> BufferSpace {{ returns s }}
feq steps {{
    extern(gpu) steps_gpu(first: i32) -> steps: [i32; {0}] {{
        path: "steps.comp", entry: "main", dimensions: 1,
        r {{ group: 0, binding: 0, input: first }}, r {{ group: 0, binding: 1, output: steps }}
    }}
}}
val whole(x: i32, points: i32) -> [i32; {0}] {{ returns steps'<points>(x) }}
fn whole_gpu(x: i32, points: i32) -> [i32; {0}] impls whole, time, space {{
    var x_here = x;
    let e = encode-begin gpu;
    encode e.copy[x_gpu <- &x_here];
    encode e.call[steps_gpu <- steps_gpu'<points>(x_gpu)];
    let f = submit e;
    (await f).steps_gpu
}}
)",
                     n_numbers);
}

/// The program of `n_numbers`, with its kernel on a device.
class KernelOfSteps {
 public:
  explicit KernelOfSteps(int64_t n_numbers) : n_numbers_(static_cast<uint64_t>(n_numbers)) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("tacet-bench-{}", ::getpid());
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "steps.comp") << kKernel;
    const FileId file =
        frontend_.set_file((folder / "main.tacet").string(), program_text(n_numbers));
    const program::FrontendSnapshot snapshot = frontend_.snapshot();
    cli::PreparedCoordinator prepared = cli::prepare_coordinator(
        snapshot, snapshot.find(file, names::Namespace::Callable, "whole_gpu"), {});
    coordinator_ = std::move(*prepared.executable);
    cli::RunOptions options;
    options.device = cli::RunDevice::Gpu;
    options.wants_statistics = true;
    gpu_ = cli::prepare_gpu({frontend_, snapshot, coordinator_, {}, options});
    std::filesystem::remove_all(folder);
  }

  [[nodiscard]] auto device() -> engine::GpuDevice* { return gpu_.device.get(); }
  [[nodiscard]] auto problem() const -> const std::string& { return gpu_.problem; }

  /// Encodes, submits, waits, and brings the results here.
  void run(Cell first, std::vector<Cell>& steps) {
    engine::GpuDevice& device = *gpu_.device;
    const engine::EncodingId encoding = device.begin();
    const engine::RemoteId copied =
        device.copy(encoding, {&first, 1}, engine::Clearness::InTheClear);
    const Cell points = (n_numbers_ + 63) / 64;
    engine::RemoteId result = 0;
    device.call(encoding, {0, {&points, 1}, {&copied, 1}, 0}, {&result, 1});
    static_cast<void>(device.submit(encoding));
    static_cast<void>(device.await(encoding));
    steps.resize(n_numbers_);
    static_cast<void>(device.fetch(result, steps));
  }

 private:
  uint64_t n_numbers_;
  program::Frontend frontend_;
  cli::CoordinatorExecutable coordinator_;
  cli::GpuPreparation gpu_;
};

auto steps_here(int32_t first, std::vector<Cell>& steps) -> uint64_t {
  uint64_t total = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    int32_t number = first + static_cast<int32_t>(i);
    int32_t count = 0;
    while (number > 1) {
      number = (number & 1) == 0 ? number / 2 : 3 * number + 1;
      ++count;
    }
    steps[i] = static_cast<Cell>(static_cast<int64_t>(count));
    total += static_cast<uint64_t>(count);
  }
  return total;
}

void count(benchmark::State& state, uint64_t n_steps) {
  state.counters["steps/s"] =
      benchmark::Counter(static_cast<double>(n_steps) * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

void gpu_kernel(benchmark::State& state) {
  KernelOfSteps kernel(state.range(0));
  if (kernel.device() == nullptr) {
    state.SkipWithError(kernel.problem().c_str());
    return;
  }
  state.SetLabel(kernel.device()->name().name);
  std::vector<Cell> steps;
  std::vector<Cell> wanted(static_cast<size_t>(state.range(0)));
  const uint64_t n_steps = steps_here(1, wanted);
  kernel.run(1, steps);
  if (steps != wanted) {
    state.SkipWithError("the kernel computes something else than the host");
    return;
  }
  for (auto each : state) {
    kernel.run(1, steps);
  }
  count(state, n_steps);
  const engine::GpuStatistics& statistics = kernel.device()->statistics();
  if (statistics.kernel_seconds) {
    state.counters["kernel_us"] =
        *statistics.kernel_seconds * 1e6 / static_cast<double>(statistics.n_kernels);
  }
}

void host_loop(benchmark::State& state) {
  std::vector<Cell> steps(static_cast<size_t>(state.range(0)));
  uint64_t n_steps = 0;
  for (auto each : state) {
    n_steps = steps_here(1, steps);
    benchmark::DoNotOptimize(steps.data());
  }
  count(state, n_steps);
}

BENCHMARK(gpu_kernel)->Arg(1)->Arg(64)->Arg(4096)->Arg(kMostNumbers)->UseRealTime();
BENCHMARK(host_loop)->Arg(1)->Arg(64)->Arg(4096)->Arg(kMostNumbers)->UseRealTime();

}  // namespace
}  // namespace tacet

BENCHMARK_MAIN();
