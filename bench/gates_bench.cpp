// Optimising circuits of bits: sums of products and quotients of secret words, from some thousand
// gates to a million. Aims: 5,000 gates in 100 ms, a million in 20 s.

#include <benchmark/benchmark.h>

#include "compiler/he/gates/optimise.h"
#include "compiler/he/gates/words.h"

namespace tacet::gates {
namespace {

/// A sum of n products, each plus a quotient, of 16 bits.
auto sum_of_products(size_t n) -> Graph {
  GraphBuilder builder;
  Word sum = constant(0, 16);
  for (size_t i = 0; i < n; ++i) {
    const Word a = builder.input("a" + std::to_string(i), 16);
    const Word b = builder.input("b" + std::to_string(i), 16);
    const Word product = multiply(builder, a, b, Signedness::Signed, 16);
    const Word quotient = divide(builder, a, b, Signedness::Signed).quotient;
    sum = add(builder, sum, add(builder, product, quotient).bits).bits;
  }
  builder.output("out", sum);
  return builder.take();
}

void optimise_sum(benchmark::State& state) {
  const Graph graph = sum_of_products(static_cast<size_t>(state.range(0)));
  Graph smaller;
  for (auto _ : state) {
    smaller = optimise(graph);
  }
  state.counters["gates"] = static_cast<double>(n_bootstraps(graph));
  state.counters["after"] = static_cast<double>(n_bootstraps(smaller));
}

BENCHMARK(optimise_sum)->Arg(4)->Arg(80)->Arg(800)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacet::gates

BENCHMARK_MAIN();
