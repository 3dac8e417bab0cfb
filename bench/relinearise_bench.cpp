// Placing relinearisations in programs of many operations. Counters show the cost of the plan, of
// the lazy and of the eager one, in relinearisations at the full level.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "compiler/he/relinearise/place_by_cut.h"

namespace tacet::relinearise {
namespace {

/// Sums, products and rotations of values that were computed a while ago, in layers of which each
/// has fewer primes than the one before: switching a key takes the square of that.
auto layered_program(size_t n_operations) -> Graph {
  constexpr size_t kLayers = 8;
  constexpr uint32_t kNearby = 200;
  std::mt19937_64 random(7);
  Graph graph;
  for (uint32_t i = 0; i < kNearby; ++i) {
    graph.values.add({});
  }
  for (size_t i = 0; i < n_operations; ++i) {
    const auto any = [&] {
      return ValueId{static_cast<uint32_t>(graph.values.size() - 1 - random() % kNearby)};
    };
    const double primes = static_cast<double>(kLayers - i * kLayers / n_operations) / kLayers;
    Value value{.costs = {.relinearisation = 0.25 * primes, .key_switch = primes * primes}};
    const uint64_t kind = random() % 20;
    if (kind == 0) {
      graph.values[any()].is_used_linearly = true;
    } else {
      value.kind = kind < 8 ? ValueKind::Product : ValueKind::Sum;
      value.operands = {any(), any()};
    }
    graph.values.add(std::move(value));
  }
  return graph;
}

auto cost_of_plan(const Graph& graph, const Plan& plan, const Rules& rules) -> double {
  return cost_of(graph, plan, *degrees_of(graph, plan, rules));
}

void report(benchmark::State& state, const Graph& graph, const Rules& rules, double cost) {
  state.counters["cost"] = cost;
  state.counters["lazy"] = cost_of_plan(graph, place_lazily(graph, rules), rules);
  state.counters["eager"] = cost_of_plan(graph, place_eagerly(graph), rules);
}

/// Whether degrees must agree, and whether uses are apart.
auto rules_of(const benchmark::State& state) -> Rules {
  return {.agreement = state.range(1) == 0 ? Agreement::Mixed : Agreement::Strict,
          .uses = state.range(1) == 2 ? Uses::Apart : Uses::Together};
}

void by_cut(benchmark::State& state) {
  const Graph graph = layered_program(static_cast<size_t>(state.range(0)));
  const Rules rules = rules_of(state);
  Plan plan;
  for (auto _ : state) {
    plan = place_by_cut(graph, rules);
  }
  report(state, graph, rules, cost_of_plan(graph, plan, rules));
}
BENCHMARK(by_cut)
    ->ArgNames({"operations", "strict_apart"})
    ->ArgsProduct({{10'000, 100'000}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacet::relinearise
