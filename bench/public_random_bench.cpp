// Reproducible random numbers: whole streams with every instruction set that the processor has,
// single draws, and what the standard library's engines need for as many words.

#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "engine/random/public_random.h"

namespace tacet::engine {
namespace {

constexpr size_t kWords = 8192;

auto place() -> RngState {
  const uint64_t iteration = 1;
  return RngState(PublicRandomKey{}).split({}, std::span(&iteration, 1));
}

void count_bytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kWords * sizeof(uint64_t)));
}

void stream(benchmark::State& state, Isa isa) {
  PublicRandomStream numbers(place(), isa);
  std::vector<uint64_t> words(kWords);
  for (auto _ : state) {
    numbers.fill(words);
    benchmark::ClobberMemory();
  }
  count_bytes(state);
}

template <class Engine>
void standard(benchmark::State& state) {
  Engine engine;
  std::vector<uint64_t> words(kWords);
  for (auto _ : state) {
    for (uint64_t& word : words) {
      word = engine();
    }
    benchmark::ClobberMemory();
  }
  count_bytes(state);
}

/// A place of its own for each draw, as a loop has.
template <class Draw>
void single(benchmark::State& state, Draw draw) {
  const RngState loop = place();
  uint64_t iteration = 0;
  for (auto _ : state) {
    PublicRandomStream numbers(loop.split({}, std::span(&iteration, 1)));
    benchmark::DoNotOptimize(draw(numbers));
    ++iteration;
  }
}

template <class Draw>
void from_stream(benchmark::State& state, Draw draw) {
  PublicRandomStream numbers(place());
  for (auto _ : state) {
    benchmark::DoNotOptimize(draw(numbers));
  }
}

auto add_all() -> bool {
  for (Isa isa : supported_isas()) {
    benchmark::RegisterBenchmark(("public_random/stream/" + std::string(isa_name(isa))).c_str(),
                                 stream, isa);
  }
  const auto unit = [](PublicRandomStream& numbers) { return numbers.unit(); };
  const auto below = [](PublicRandomStream& numbers) { return numbers.below(1000); };
  const auto normal = [](PublicRandomStream& numbers) { return numbers.normal(); };
  benchmark::RegisterBenchmark("public_random/place/unit", single<decltype(unit)>, unit);
  benchmark::RegisterBenchmark("public_random/place/normal", single<decltype(normal)>, normal);
  benchmark::RegisterBenchmark("public_random/next/unit", from_stream<decltype(unit)>, unit);
  benchmark::RegisterBenchmark("public_random/next/below", from_stream<decltype(below)>, below);
  benchmark::RegisterBenchmark("public_random/next/normal", from_stream<decltype(normal)>, normal);
  benchmark::RegisterBenchmark("standard/mt19937_64", standard<std::mt19937_64>);
  benchmark::RegisterBenchmark("standard/ranlux48", standard<std::ranlux48>);
  return true;
}

const bool kAdded = add_all();

}  // namespace
}  // namespace tacet::engine
