#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/two_threads.h"
#include "linter/lint_item.h"
#include "problems/problems.h"
#include "tests/generator/synthetic_workspace.h"

namespace tacet::bench {
namespace {

constexpr int64_t kLinesOfFunction = 20;

/// A device function in which one secret steers several things, and more that it does not.
auto function_text(int64_t i) -> std::string {
  return fmt::format(
      "fn(mpc) f{}(t: secret [i64; 16], k: secret i64, n: i64 in 1..17) -> secret i64 {{\n"
      "    var sum = 0;\n"
      "    var best = t[0];\n"
      "    for i in 0..n {{\n"
      "        let value = t[i] * {} + k;\n"
      "        if value > best {{\n"
      "            best = value;\n"
      "        }}\n"
      "        sum = sum + value / 3;\n"
      "    }}\n"
      "    var last = t[k];\n"
      "    for i in 0..n {{\n"
      "        last = last + best * t[i];\n"
      "        sum = sum - last;\n"
      "    }}\n"
      "    let scaled = sum / n;\n"
      "    let small = scaled if scaled < best else best;\n"
      "    small + last\n"
      "}}\n\n",
      i, i % 7 + 1);
}

auto device_module_text(int64_t n_lines) -> std::string {
  std::string text = "#version 0.1.0\n\n";
  for (int64_t i = 0; i * kLinesOfFunction < n_lines; ++i) {
    text += function_text(i);
  }
  return text;
}

/// Types and findings of all files; the front end's share is measured by `types_cold`.
void lint_all(program::Frontend& frontend, const std::vector<FileId>& files, Executor& executor) {
  executor.for_each(files.size(), [&](size_t i) {
    const auto findings = frontend.snapshot().query().run(
        [&](query::Context& context) { return linter::lint_file(context, files[i]); });
    benchmark::DoNotOptimize(findings);
  });
}

/// Device functions that secrets steer everywhere.
struct SteeredCode {
  static auto text(int64_t n_lines) -> std::string { return device_module_text(n_lines); }
};

/// Specifications, coordinator functions and device functions, as people write them.
struct MixedCode {
  static auto text(int64_t n_lines) -> std::string { return testing::module_text(n_lines); }
};

/// What is measured: all from the text on, or what the linter adds to the check of types.
enum class From : uint8_t { Text, Types };

/// All rules, secrecy across calls included.
template <class Code, class Threads, From kFrom>
void lint_cold(benchmark::State& state) {
  const auto files = testing::many_files(state.range(0), Code::text);
  for (auto _ : state) {
    state.PauseTiming();
    auto frontend = std::make_unique<program::Frontend>();
    const std::vector<FileId> ids = frontend->set_files(files);
    Threads threads;
    if (kFrom == From::Text) {
      state.ResumeTiming();
    }
    benchmark::DoNotOptimize(
        problems::find(frontend->snapshot(), ids, {.until = problems::Until::Types}, threads));
    if (kFrom == From::Types) {
      state.ResumeTiming();
    }
    lint_all(*frontend, ids, threads);
    state.PauseTiming();
    frontend.reset();
    state.ResumeTiming();
  }
  state.counters["lines/s"] = benchmark::Counter(static_cast<double>(state.range(0)),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(lint_cold<SteeredCode, SequentialExecutor, From::Types>)
    ->Arg(100'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(lint_cold<SteeredCode, TwoThreads, From::Types>)
    ->Arg(100'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(lint_cold<SteeredCode, TwoThreads, From::Text>)
    ->Arg(100'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(lint_cold<MixedCode, TwoThreads, From::Types>)
    ->Arg(100'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(lint_cold<MixedCode, TwoThreads, From::Text>)
    ->Arg(100'000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

/// A character typed in the middle of a body, and the findings of the file afterwards.
void lint_after_edit(benchmark::State& state) {
  const std::string text = device_module_text(state.range(0));
  const size_t place = text.find("value > best", text.size() / 2);
  std::string edited = text;
  edited.insert(place, "1 + ");
  program::Frontend frontend;
  const FileId file = frontend.set_file("m.tacet", text);
  const auto lint = [&] {
    benchmark::DoNotOptimize(frontend.snapshot().query().run(
        [&](query::Context& context) { return linter::lint_file(context, file); }));
  };
  lint();
  bool is_edited = false;
  for (auto _ : state) {
    is_edited = !is_edited;
    frontend.set_file("m.tacet", is_edited ? edited : text);
    lint();
  }
}
BENCHMARK(lint_after_edit)->Arg(1000)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacet::bench
