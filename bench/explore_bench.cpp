// How long it takes to choose among 4, 16 and 256 combinations of functions at calls, and to
// compare a stored choice with the program after an edit.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "base/value.h"
#include "cli/explore/candidates.h"
#include "cli/explore/local_runs.h"
#include "problems/explored.h"

namespace tacet::cli {
namespace {

/// A sum of `n` sums, each of which two functions compute.
auto program_of(int64_t n) -> std::string {
  std::string text = R"(#version 0.1.0

tmln at_once(start: Event) -> Event { returns start }
sptl nowhere(space: BufferSpace) -> BufferSpace { returns space }
feq total {
    val total_spec(a: i64, b: i64) -> i64 { returns 0 if a > b else total(a + 1, b) + a }
    val total_closed(a: i64, b: i64) -> i64 { returns 0 if a > b else (a + b) * (b - a + 1) / 2 }
}
fn by_steps(a: i64, b: i64) -> i64 impls total_spec, at_once, nowhere {
    let next = a + 1;
    if a > b { 0 } else { by_steps(next, b) + a }
}
fn closed(a: i64, b: i64) -> i64 impls total_closed, at_once, nowhere {
    if a > b { 0 } else { (a + b) * (b - a + 1) / 2 }
}
)";
  std::string spec;
  std::string body;
  for (int64_t i = 0; i < n; ++i) {
    spec += fmt::format("{}total(a + {}, b)", i == 0 ? "" : " + ", i);
    body += fmt::format("{}by_steps(a + {}, b)", i == 0 ? "" : " + ", i);
  }
  return text + fmt::format(
                    "val sums(a: i64, b: i64) -> i64 {{ returns {} }}\n"
                    "fn sums_here(a: i64, b: i64) -> i64 impls sums, at_once, nowhere {{ {} }}\n",
                    spec, body);
}

struct Session {
  explicit Session(int64_t n_calls) {
    program.file = frontend.set_file("/sums.tacet", program_of(n_calls));
    program.files = {program.file};
  }

  auto candidates() -> Candidates {
    const program::FrontendSnapshot snapshot = frontend.snapshot();
    const names::ItemId item = snapshot.find(program.file, names::Namespace::Callable, "sums_here");
    Candidates found = value(find_candidates(snapshot, item, {}));
    const CallSpace space = CallSpace::find(frontend, program, {"sums_here"}, {});
    add_calls(found, space, 1024);
    return found;
  }

  program::Frontend frontend;
  LoadedProgram program;
};

void list(benchmark::State& state) {
  size_t n = 0;
  for (auto _ : state) {
    Session session(state.range(0));
    n = session.candidates().candidates.size();
  }
  state.counters["candidates"] = static_cast<double>(n);
}

void rank_and_measure(benchmark::State& state, size_t n_runs) {
  Output out(1, Output::Buffering::None);
  Output err(2, Output::Buffering::None);
  const ProgramModel model;
  for (auto _ : state) {
    Session session(state.range(0));
    Candidates found = session.candidates();
    Invocation invocation{out, err, {}, {}, model};
    LocalRuns runs(session.frontend, session.program,
                   {.values = {"1", "1000"}, .inputs = {}, .ranges = {}, .seed = "", .externs = {}},
                   invocation);
    if (!runs.rank(found)) {
      state.SkipWithError("the values do not fit");
      return;
    }
    for (const Candidate& candidate : found.candidates) {
      for (size_t i = 0; i < n_runs; ++i) {
        benchmark::DoNotOptimize(runs.run(candidate, [] { return false; }));
      }
    }
  }
}

void rank(benchmark::State& state) {
  rank_and_measure(state, 0);
}

void measure(benchmark::State& state) {
  rank_and_measure(state, 3);
}

void compare_after_edit(benchmark::State& state) {
  Session session(8);
  const std::string text = *session.frontend.text(session.program.file);
  const std::vector<program::ExploredChoice> choices = {
      {.file = "sums.tacet",
       .target = "sums",
       .pipeline = "",
       .parameters = "",
       .machine = "",
       .chosen = {.implementation = "sums_here",
                  .device = "local",
                  .scheme = "",
                  .protocol = "",
                  .calls = {"sums_here/by_steps#3=closed"}},
       .others = {}}};
  size_t n = 0;
  for (auto _ : state) {
    session.frontend.set_file("/sums.tacet", text + fmt::format("// {}\n", n++));
    const auto found =
        problems::explored_findings(session.frontend.snapshot(), session.program.file, choices);
    if (!found.empty()) {
      state.SkipWithError("the choice does not fit");
    }
  }
}

BENCHMARK(list)->Arg(2)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(rank)->Arg(2)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(measure)->Arg(2)->Arg(4)->Arg(8)->Unit(benchmark::kMillisecond);
BENCHMARK(compare_after_edit)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tacet::cli
