// How fast text becomes trees: a whole file, and a file after one keystroke.

#include <benchmark/benchmark.h>

#include "bench/synthetic_workspace.h"
#include "compiler/syntax/file_syntax.h"

namespace tacet {
namespace {

void parse_fresh(benchmark::State& state) {
  std::string text = bench::module_text(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(syntax::parse_file(text, syntax::Language::Module));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(parse_fresh)->Arg(2'000)->Arg(20'000)->Arg(200'000)->Unit(benchmark::kMillisecond);

/// Types and deletes a character inside a body in the middle of the file.
void parse_after_keystroke(benchmark::State& state) {
  std::string text = bench::module_text(state.range(0));
  size_t at = text.find("first + rest", text.size() / 2);
  std::string edited = text.substr(0, at) + "q" + text.substr(at);
  syntax::FileSyntax file = syntax::parse_file(text, syntax::Language::Module);
  bool typed = false;
  for (auto _ : state) {
    typed = !typed;
    file = syntax::reparse_file(file, typed ? edited : text);
    benchmark::DoNotOptimize(file);
  }
}
BENCHMARK(parse_after_keystroke)->Arg(2'000)->Arg(20'000)->Arg(200'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tacet
