// Reading values from files. One item is one element; `bytes` is the size of the text.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <random>
#include <string>

#include "cli/values/result_arrays.h"
#include "cli/values/value_formats.h"
#include "cli/values/value_shape.h"

namespace tacet::bench {
namespace {

using interpret::ElementKind;
using interpret::ElementType;

constexpr uint64_t kRows = 1'000'000;
constexpr uint64_t kColumns = 10;
constexpr ElementType kI64{ElementKind::I64, 0};
constexpr ElementType kFxp{ElementKind::Fxp, 18};
constexpr ElementType kF64{ElementKind::F64, 0};

auto bench_parameter(ElementType type, uint64_t n_columns) -> interpret::EntryParameter {
  return {"x", type, {kRows, n_columns}, {}};
}

/// A table of numbers with a line of headers.
auto table(ElementType type) -> const std::string& {
  static std::string integers;
  static std::string decimals;
  std::string& text = type.kind == ElementKind::I64 ? integers : decimals;
  if (!text.empty()) {
    return text;
  }
  std::mt19937_64 random(1);
  for (uint64_t i = 0; i < kColumns; ++i) {
    text += fmt::format("{}c{}", i == 0 ? "" : ",", i);
  }
  text += '\n';
  for (uint64_t row = 0; row < kRows; ++row) {
    for (uint64_t i = 0; i < kColumns; ++i) {
      const auto number = static_cast<int64_t>(random() % 1'000'000) - 500'000;
      text += type.kind == ElementKind::I64
                  ? fmt::format("{}{}", i == 0 ? "" : ",", number)
                  : fmt::format("{}{}", i == 0 ? "" : ",", static_cast<double>(number) / 1000);
    }
    text += '\n';
  }
  return text;
}

void finish(benchmark::State& state, const std::string& text, uint64_t n_columns) {
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kRows * n_columns));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}

void read_csv(benchmark::State& state, ElementType type, const std::string& selection,
              uint64_t n_columns) {
  const std::string& text = table(type);
  const interpret::EntryParameter parameter = bench_parameter(type, n_columns);
  for ([[maybe_unused]] auto step : state) {
    const auto value = cli::value_of_csv(parameter, text, cli::CsvKind::Detected, selection);
    if (!value) {
      state.SkipWithError(value.error().message.c_str());
      return;
    }
    benchmark::DoNotOptimize(value.value().cells.data());
  }
  finish(state, text, n_columns);
}
BENCHMARK_CAPTURE(read_csv, integers, kI64, "*", kColumns)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_csv, fixed_point, kFxp, "*", kColumns)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_csv, floats, kF64, "*", kColumns)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_csv, two_columns, kI64, "c7,c2", 2)->Unit(benchmark::kMillisecond);

/// What the sizes of a function need.
void shape_of_csv(benchmark::State& state) {
  const std::string& text = table(kI64);
  for ([[maybe_unused]] auto step : state) {
    const auto extents = cli::csv_extents(text, cli::CsvKind::Detected, "*");
    benchmark::DoNotOptimize(extents.value().n_rows);
  }
  finish(state, text, kColumns);
}
BENCHMARK(shape_of_csv)->Unit(benchmark::kMillisecond);

void read_npy(benchmark::State& state, ElementType type) {
  const interpret::EntryParameter parameter = bench_parameter(type, kColumns);
  const auto value = cli::value_of_csv(parameter, table(type), cli::CsvKind::Detected, "*");
  const auto bytes = cli::npy_of_result({"x", type, {kRows, kColumns}}, value.value());
  for ([[maybe_unused]] auto step : state) {
    const auto read = cli::value_of_npy(parameter, bytes.value());
    benchmark::DoNotOptimize(read.value().cells.data());
  }
  finish(state, bytes.value(), kColumns);
}
BENCHMARK_CAPTURE(read_npy, integers, kI64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_npy, floats, kF64)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacet::bench
