// How fast text becomes trees: a whole file, and a file after one keystroke.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "compiler/core/syntax/file_syntax.h"
#include "tests/generator/synthetic_workspace.h"

namespace tacet {
namespace {

void parse_fresh(benchmark::State& state) {
  std::string text = testing::module_text(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(syntax::parse_file(text, syntax::Language::Module));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(parse_fresh)->Arg(2'000)->Arg(20'000)->Arg(200'000)->Unit(benchmark::kMillisecond);

/// Types and deletes a character that makes `edited` of `text`.
void reparse(benchmark::State& state, const std::string& text, const std::string& edited) {
  syntax::FileSyntax file = syntax::parse_file(text, syntax::Language::Module);
  bool typed = false;
  for (auto _ : state) {
    typed = !typed;
    file = syntax::reparse_file(file, typed ? edited : text);
    benchmark::DoNotOptimize(file);
  }
}

/// Inside a body in the middle of the file.
void parse_after_keystroke(benchmark::State& state) {
  std::string text = testing::module_text(state.range(0));
  size_t at = text.find("first + rest", text.size() / 2);
  reparse(state, text, text.substr(0, at) + "q" + text.substr(at));
}
BENCHMARK(parse_after_keystroke)
    ->Arg(2'000)
    ->Arg(20'000)
    ->Arg(200'000)
    ->Unit(benchmark::kMicrosecond);

/// The same in a file that is one item: the worst that a text of this size can be.
void parse_after_keystroke_in_one_item(benchmark::State& state) {
  std::string text = "#version 0.1.0\nfn(he) f(x: i64) {\n";
  for (int64_t i = 0; i < state.range(0); ++i) {
    text += fmt::format("  let y{} = x * 3 + g(a[i], {});\n", i, i);
  }
  text += "}\n";
  std::string edited = text;
  edited.insert(text.find("let y", text.size() / 2) + 4, "q");
  reparse(state, text, edited);
}
BENCHMARK(parse_after_keystroke_in_one_item)
    ->Arg(2'000)
    ->Arg(20'000)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tacet
