// How fast text is formatted: with and without parsing, tidy and untidy text, and the printer of
// documents alone.

#include <benchmark/benchmark.h>

#include "formatter/doc/doc.h"
#include "formatter/format.h"
#include "tests/generator/synthetic_workspace.h"

namespace tacet {
namespace {

using syntax::Language;

void count_bytes(benchmark::State& state, const std::string& text) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}

auto tidy_text(int64_t n_lines) -> std::string {
  return formatter::format(testing::module_text(n_lines), Language::Module).text;
}

/// The same without indentation and with every space doubled.
auto untidy_text(int64_t n_lines) -> std::string {
  std::string text;
  bool is_line_start = true;
  for (char c : tidy_text(n_lines)) {
    if (c != ' ' || !is_line_start) {
      text.append(c == ' ' ? 2 : 1, c);
      is_line_start = c == '\n';
    }
  }
  return text;
}

void format_tidy(benchmark::State& state) {
  std::string text = tidy_text(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(formatter::format(text, Language::Module));
  }
  count_bytes(state, text);
}
BENCHMARK(format_tidy)->Arg(2'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

void format_untidy(benchmark::State& state) {
  std::string text = untidy_text(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(formatter::format(text, Language::Module));
  }
  count_bytes(state, text);
}
BENCHMARK(format_untidy)->Arg(2'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

/// What `tacet fmt` does.
void format_untidy_without_edits(benchmark::State& state) {
  std::string text = untidy_text(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        formatter::format(text, Language::Module, formatter::Edits::NotWanted));
  }
  count_bytes(state, text);
}
BENCHMARK(format_untidy_without_edits)->Arg(2'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

/// What the language server does: the trees are there already.
void format_parsed(benchmark::State& state) {
  std::string text = tidy_text(state.range(0));
  syntax::FileSyntax file = syntax::parse_file(text, Language::Module);
  for (auto _ : state) {
    benchmark::DoNotOptimize(formatter::format(file));
  }
  count_bytes(state, text);
}
BENCHMARK(format_parsed)->Arg(2'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

/// Builds and prints calls nested in calls: four-letter words in groups of three.
void print_document(benchmark::State& state) {
  std::string source = "word";
  std::string out;
  doc::Builder builder;
  doc::Doc document;
  for (auto _ : state) {
    for (int i = 0; i < 10'000; ++i) {
      builder.open_group();
      builder.text(0, 4);
      builder.indent(4);
      for (int j = 0; j < 3; ++j) {
        builder.soft_line();
        builder.open_group();
        for (int k = 0; k < 3; ++k) {
          builder.text(0, 4);
          builder.line();
        }
        builder.close_group();
      }
      builder.dedent(4);
      builder.close_group();
      builder.hard_line();
    }
    builder.finish(document);
    out.clear();
    doc::print(document, source, {.width = 40}, out);
    benchmark::DoNotOptimize(out);
  }
  count_bytes(state, out);
}
BENCHMARK(print_document)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacet
