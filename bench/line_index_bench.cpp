// How fast a text's lines are found, and positions in them converted: both are on the critical path
// of every keystroke.

#include <benchmark/benchmark.h>

#include <string>

#include "base/line_index.h"

namespace tacet {
namespace {

/// Lines of 40 bytes, one character in forty outside ASCII.
auto text_of(int64_t n_lines) -> std::string {
  std::string text;
  for (int64_t i = 0; i < n_lines; ++i) {
    text += "    let total_\u00e9 = value + other_value;\n";
  }
  return text;
}

void build_line_index(benchmark::State& state) {
  std::string text = text_of(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(LineIndex(text));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(build_line_index)->Arg(2'000)->Arg(100'000);

/// There and back in UTF-16, at places all over the text.
void convert_positions(benchmark::State& state) {
  std::string text = text_of(state.range(0));
  LineIndex index(text);
  uint32_t at = 0;
  for (auto _ : state) {
    at = (at + 7919) % static_cast<uint32_t>(text.size());
    LineColumn position = index.position(text, at, PositionEncoding::Utf16);
    benchmark::DoNotOptimize(index.offset(text, position, PositionEncoding::Utf16));
  }
}
BENCHMARK(convert_positions)->Arg(2'000)->Arg(100'000);

void find_invalid_utf8(benchmark::State& state) {
  std::string text = text_of(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(tacet::find_invalid_utf8(text));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}
BENCHMARK(find_invalid_utf8)->Arg(2'000);

}  // namespace
}  // namespace tacet
