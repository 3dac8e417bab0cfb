#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "compiler/spec/fill/search.h"
#include "compiler/spec/fill/surroundings.h"

namespace tacet::bench {
namespace {

constexpr int64_t kCalls = 11;

/// A coordinator function of some fifty lines, with a hole in the place of `hole`: calls of
/// kernels, one encoding each, awaited in order.
auto program_with_hole(const std::string& hole) -> std::string {
  std::string timeline = "tmln time(e: Event) -> Event {\n";
  std::string values = "val wanted(x: i64) -> i64 {\n";
  std::string body;
  for (int64_t i = 1; i <= kCalls; ++i) {
    const std::string before = i == 1 ? "e" : fmt::format("d{}", i - 1);
    timeline += fmt::format(
        "    l{0}, r{0} :- encode_event({1})\n    d{0} :- sync_event(l{0}, submit_event(r{0}))\n",
        i, before);
    const std::string value = i == 1 ? "x" : fmt::format("y{}", i - 1);
    values += fmt::format("    y{} :- twice({} + {})\n", i, value, i);
    body += fmt::format("    let e{0} = encode-begin he;\n", i);
    body += fmt::format("    encode e{0}.copy[v <- {1} + {0}];\n", i, value);
    body += fmt::format("    encode e{0}.call[y <- twice_he(v)];\n", i);
    body += fmt::format("    let f{0} = submit e{0};\n", i);
    body += fmt::format("    let y{0} = (await f{0}).y;\n", i);
  }
  const size_t place = body.find(hole);
  body.replace(place, hole.size(), "???;");
  return fmt::format(
      "#version 0.1.0\n\nsptl space(s: BufferSpace) -> BufferSpace {{ returns s }}\n"
      "feq twice {{\n    val twice_spec(x: i64) -> i64 {{ returns x + x }}\n"
      "    fn(he) twice_he(x: secret i64) -> secret i64 {{ x + x }}\n}}\n"
      "{}    returns d{}\n}}\n{}    returns y{}\n}}\n"
      "fn made(x: i64) -> i64 impls wanted, time, space {{\n{}    y{}\n}}\n",
      timeline, kCalls, values, kCalls, body, kCalls);
}

void fill_hole(benchmark::State& state, const std::string& removed, size_t n_candidates) {
  const std::string text = program_with_hole(removed);
  program::Frontend frontend;
  const FileId file = frontend.set_file("m.tacet", text);
  benchmark::DoNotOptimize(frontend.snapshot().diagnostics(file));
  for (auto _ : state) {
    fill::Trial trial(frontend.snapshot(), file);
    const TextRange hole = fill::hole_ranges(frontend.snapshot(), file).front();
    const fill::Found found = fill::search(trial, text, hole, {.n_candidates = n_candidates});
    if (found.candidates.empty()) {
      state.SkipWithError("nothing fills the hole");
    }
  }
}

void fill_first(benchmark::State& state, const std::string& removed) {
  fill_hole(state, removed, 1);
}
void fill_all(benchmark::State& state, const std::string& removed) {
  fill_hole(state, removed, fill::Limits().n_candidates);
}
#define TACET_FILL(name, removed)                                              \
  BENCHMARK_CAPTURE(fill_first, name, removed)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(fill_all, name, removed)->Unit(benchmark::kMillisecond)
TACET_FILL(copy, "encode e6.copy[v <- y5 + 6];");
TACET_FILL(call, "encode e6.call[y <- twice_he(v)];");
TACET_FILL(submit, "let f6 = submit e6;");
TACET_FILL(await, "let y6 = (await f6).y;");
TACET_FILL(encode_begin, "let e6 = encode-begin he;");
#undef TACET_FILL

}  // namespace
}  // namespace tacet::bench
