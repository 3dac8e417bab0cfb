#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "compiler/he/relinearise/place_by_cut.h"
#include "tests/relinearise/try_everything.h"

namespace tacet::relinearise {
namespace {

/// A few of everything, shown when a test fails.
auto text_of(const Graph& graph, const Rules& rules) -> std::string {
  std::string text = rules.agreement == Agreement::Strict ? "strict" : "mixed";
  text += rules.uses == Uses::Apart ? " apart, at most " : " together, at most ";
  text += std::to_string(rules.max_degree) + "\n";
  for (uint32_t i = 0; i < graph.values.size(); ++i) {
    const Value& value = graph.values[ValueId{i}];
    text += "v" + std::to_string(i);
    text += value.kind == ValueKind::Product ? " mul" : value.kind == ValueKind::Sum ? " add" : "";
    for (const ValueId operand : value.operands) {
      text += " v" + std::to_string(operand.index);
    }
    text += value.is_used_linearly ? " linear\n" : "\n";
  }
  return text;
}

/// All graphs of two inputs and `n` operations, the last values with degree one or not.
void for_each_graph(uint32_t n, const std::function<void(const Graph&)>& visit) {
  const std::function<void(Graph, uint32_t)> extend = [&](const Graph& graph, uint32_t left) {
    if (left == 0) {
      visit(graph);
      Graph linear = graph;
      std::vector<bool> is_used(graph.values.size());
      for (const Value& value : graph.values.values()) {
        for (const ValueId operand : value.operands) {
          is_used[operand.index] = true;
        }
      }
      for (uint32_t i = 0; i < is_used.size(); ++i) {
        linear.values[ValueId{i}].is_used_linearly |= !is_used[i];
      }
      visit(linear);
      return;
    }
    const auto n_values = static_cast<uint32_t>(graph.values.size());
    for (uint32_t a = 0; a < n_values; ++a) {
      Graph rotated = graph;
      rotated.values[ValueId{a}].is_used_linearly = true;
      rotated.values.add({});
      extend(rotated, left - 1);
      for (uint32_t b = a; b < n_values; ++b) {
        for (const ValueKind kind : {ValueKind::Product, ValueKind::Sum}) {
          Graph next = graph;
          next.values.add({.kind = kind, .operands = {ValueId{a}, ValueId{b}}});
          extend(next, left - 1);
        }
      }
    }
  };
  Graph inputs;
  inputs.values.add({});
  inputs.values.add({});
  extend(inputs, n);
}

auto random_graph(std::mt19937_64& random, size_t n_operations, bool has_costs) -> Graph {
  Graph graph;
  const auto any = [&] { return ValueId{static_cast<uint32_t>(random() % graph.values.size())}; };
  const auto costs = [&]() -> Costs {
    if (!has_costs) {
      return {};
    }
    const auto some = [&](uint64_t n) { return static_cast<double>(random() % n) / 4; };
    return {.relinearisation = some(20),
            .key_switch = some(9),
            .computing = some(3),
            .keeping = some(3)};
  };
  graph.values.add({.costs = costs()});
  graph.values.add({.costs = costs()});
  for (size_t i = 0; i < n_operations; ++i) {
    Value value{.kind = random() % 2 == 0 ? ValueKind::Product : ValueKind::Sum,
                .operands = {any(), any()},
                .costs = costs()};
    if (value.kind == ValueKind::Sum && random() % 4 == 0) {
      value.operands.pop_back();
    }
    if (random() % 6 == 0) {
      graph.values[any()].is_used_linearly = true;
    }
    graph.values.add(std::move(value));
  }
  return graph;
}

const std::vector<Rules> kCutRules = {{.agreement = Agreement::Mixed},
                                      {.agreement = Agreement::Strict},
                                      {.agreement = Agreement::Mixed, .uses = Uses::Apart},
                                      {.agreement = Agreement::Strict, .uses = Uses::Apart}};

auto cost_of_plan(const Graph& graph, const Plan& plan, const Rules& rules) -> double {
  const std::optional<Degrees> degrees = degrees_of(graph, plan, rules);
  return degrees ? cost_of(graph, plan, *degrees) : -1;
}

void expect_cut_is_cheapest(const Graph& graph, const Rules& rules) {
  const double cost = cost_of_plan(graph, place_by_cut(graph, rules), rules);
  ASSERT_DOUBLE_EQ(cost, cheapest_of_all(graph, rules)) << text_of(graph, rules);
}

TEST(EverySmallGraph, CutsAreCheapest) {
  for (uint32_t n = 1; n <= 3; ++n) {
    for_each_graph(n, [](const Graph& graph) {
      for (const Rules& rules : kCutRules) {
        expect_cut_is_cheapest(graph, rules);
      }
    });
  }
}

TEST(EverySmallGraph, CutsAreCheapestForFourOperations) {
  size_t n = 0;
  for_each_graph(4, [&](const Graph& graph) {
    expect_cut_is_cheapest(graph, kCutRules[n++ % kCutRules.size()]);
  });
}

TEST(RandomGraphs, CutsAreCheapestByAnyCosts) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const Graph graph = random_graph(random, 1 + random() % 8, i % 3 != 0);
    expect_cut_is_cheapest(graph, kCutRules[random() % kCutRules.size()]);
  }
}

TEST(RandomGraphs, LazyAndEagerPlansKeepTheRules) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const Graph graph = random_graph(random, 1 + random() % 60, i % 2 != 0);
    for (Rules rules : kCutRules) {
      rules.max_degree = 2 + static_cast<uint32_t>(random() % 3);
      const double cut = cost_of_plan(graph, place_by_cut(graph, rules), rules);
      const double lazy = cost_of_plan(graph, place_lazily(graph, rules), rules);
      const double eager = cost_of_plan(graph, place_eagerly(graph), rules);
      EXPECT_GE(cut, 0) << text_of(graph, rules);
      EXPECT_GE(lazy, rules.max_degree == 2 ? cut - 1e-9 : 0) << text_of(graph, rules);
      EXPECT_GE(eager, cut - 1e-9) << text_of(graph, rules);
    }
  }
}

}  // namespace
}  // namespace tacet::relinearise
