#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "bench/two_threads.h"
#include "problems/problems.h"
#include "tests/generator/synthetic_workspace.h"

namespace tacet::bench {
namespace {

const problems::Question kQuestion = {.until = problems::Until::Specifications};

template <class Threads>
void check_cold(benchmark::State& state) {
  const auto files =
      testing::many_files(state.range(0), [](int64_t n) { return testing::module_text(n); });
  for (auto _ : state) {
    program::Frontend frontend;
    const std::vector<FileId> ids = frontend.set_files(files);
    Threads threads;
    const auto diagnostics = problems::find(frontend.snapshot(), ids, kQuestion, threads);
    for (const auto& of_file : diagnostics) {
      if (!of_file.empty()) {
        state.SkipWithError(of_file.front().message.c_str());
      }
    }
  }
  state.counters["lines/s"] = benchmark::Counter(static_cast<double>(state.range(0)),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(check_cold<SequentialExecutor>)
    ->Arg(1000)
    ->Arg(100'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(check_cold<TwoThreads>)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// A character typed in the middle of a body, and the diagnostics of the file afterwards.
void check_after_edit(benchmark::State& state) {
  const std::string text = testing::module_text(state.range(0));
  const size_t place = text.find("value > high", text.size() / 2);
  std::string edited = text;
  edited.insert(place, "1 + ");
  program::Frontend frontend;
  const FileId file = frontend.set_file("m.tacet", text);
  benchmark::DoNotOptimize(frontend.snapshot().diagnostics(file));
  bool is_edited = false;
  for (auto _ : state) {
    is_edited = !is_edited;
    frontend.set_file("m.tacet", is_edited ? edited : text);
    benchmark::DoNotOptimize(frontend.snapshot().diagnostics(file));
  }
}
BENCHMARK(check_after_edit)->Arg(2000)->Arg(20'000)->Unit(benchmark::kMicrosecond);

/// The same in one file of a large workspace that was checked before.
void check_after_edit_in_workspace(benchmark::State& state) {
  program::Frontend frontend;
  const auto files =
      testing::many_files(state.range(0), [](int64_t n) { return testing::module_text(n); });
  const std::vector<FileId> ids = frontend.set_files(files);
  SequentialExecutor executor;
  benchmark::DoNotOptimize(problems::find(frontend.snapshot(), ids, kQuestion, executor));
  const std::string& text = files[files.size() / 2].second;
  std::string edited = text;
  edited.insert(text.find("value > high", text.size() / 2), "1 + ");
  bool is_edited = false;
  for (auto _ : state) {
    is_edited = !is_edited;
    const FileId file = frontend.set_file(files[files.size() / 2].first, is_edited ? edited : text);
    benchmark::DoNotOptimize(frontend.snapshot().diagnostics(file));
  }
}
BENCHMARK(check_after_edit_in_workspace)->Arg(1'000'000)->Unit(benchmark::kMicrosecond);

/// Conformance alone of one long function: from its types to what it does.
void conform_long_function(benchmark::State& state) {
  const std::string text = testing::long_function_text(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    auto frontend = std::make_unique<program::Frontend>();
    const FileId file = frontend->set_file("m.tacet", text);
    benchmark::DoNotOptimize(frontend->snapshot().diagnostics(file, program::Until::Types));
    state.ResumeTiming();
    if (!frontend->snapshot().diagnostics(file).empty()) {
      state.SkipWithError("the function does not conform");
    }
    state.PauseTiming();
    frontend.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(conform_long_function)->Arg(1000)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacet::bench
