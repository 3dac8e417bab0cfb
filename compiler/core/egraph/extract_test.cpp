#include <gtest/gtest.h>

#include <random>

#include "compiler/core/egraph/extract_dag.h"
#include "compiler/core/egraph/text.h"

namespace tacet::egraph {
namespace {

auto cost_of(const ENode& node) -> double {
  return 1 + node.op.index % 7;
}

auto levels_of(const ENode& node) -> uint32_t {
  return node.op.index % 3 == 0 ? 1 : 0;
}

auto random_graph(uint32_t seed) -> EGraph {
  std::mt19937 random(seed);
  EGraph graph;
  std::vector<ClassId> ids;
  for (uint32_t i = 0; i < 12; ++i) {
    const uint32_t n_children = ids.size() < 2 ? 0 : static_cast<uint32_t>(random() % 4);
    std::vector<ClassId> children;
    for (uint32_t c = 0; c < n_children; ++c) {
      children.push_back(ids[random() % ids.size()]);
    }
    ids.push_back(graph.add(OpId{static_cast<uint32_t>(random() % 20)}, children));
  }
  for (int i = 0; i < 5; ++i) {
    graph.merge(ids[random() % ids.size()], ids[random() % ids.size()]);
  }
  graph.rebuild();
  return graph;
}

/// The cost of a choice as a DAG, and of its depth; infinite if it has a cycle or a hole.
auto dag_cost(const EGraph& graph, const std::vector<NodeId>& choice, ClassId root,
              double price = 0) -> double {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<int> state(graph.n_ids());
  std::vector<uint32_t> depths(graph.n_ids());
  double sum = 0;
  const auto visit = [&](auto&& self, ClassId id) -> void {
    if (state[id.index] == 1 || !choice[id.index].has_value()) {
      sum = kInfinity;
    }
    if (state[id.index] != 0 || sum == kInfinity) {
      return;
    }
    state[id.index] = 1;
    const ENode& node = graph.node(choice[id.index]);
    uint32_t& depth = depths[id.index];
    for (const ClassId child : graph.children(node)) {
      self(self, child);
      depth = std::max(depth, depths[child.index]);
    }
    depth += levels_of(node);
    state[id.index] = 2;
    sum += cost_of(node);
  };
  visit(visit, root);
  return sum + price * depths[root.index];
}

/// The least DAG cost over all choices for all classes.
auto least_dag_cost(const EGraph& graph, ClassId root, double price = 0) -> double {
  const std::vector<ClassId> classes = graph.classes();
  std::vector<NodeId> choice(graph.n_ids());
  double best = std::numeric_limits<double>::infinity();
  const auto try_all = [&](auto&& self, size_t at) -> void {
    if (at == classes.size()) {
      best = std::min(best, dag_cost(graph, choice, root, price));
      return;
    }
    for (const ENode& node : graph.nodes(classes[at])) {
      choice[classes[at].index] = node.id;
      self(self, at + 1);
    }
  };
  try_all(try_all, 0);
  return best;
}

/// The least tree costs, by relaxation until nothing changes.
auto least_tree_costs(const EGraph& graph) -> std::vector<double> {
  std::vector<double> best(graph.n_ids(), std::numeric_limits<double>::infinity());
  for (bool changed = true; changed;) {
    changed = false;
    for (const ClassId id : graph.classes()) {
      for (const ENode& node : graph.nodes(id)) {
        double sum = cost_of(node);
        for (const ClassId child : graph.children(node)) {
          sum += best[child.index];
        }
        if (sum < best[id.index]) {
          best[id.index] = sum;
          changed = true;
        }
      }
    }
  }
  return best;
}

TEST(Extraction, IsAsCheapAsExhaustiveSearch) {
  size_t n_shared = 0;
  for (uint32_t seed = 0; seed < 600; ++seed) {
    const EGraph graph = random_graph(seed);
    const auto trees =
        extract_trees<double>(graph, [](const ENode& node, std::span<const double> children) {
          double sum = cost_of(node);
          for (const double child : children) {
            sum += child;
          }
          return sum;
        });
    const std::vector<double> expected_trees = least_tree_costs(graph);
    for (const ClassId root : graph.classes()) {
      ASSERT_EQ(trees.cost_of[root.index].value_or(std::numeric_limits<double>::infinity()),
                expected_trees[root.index]);
    }
    const ClassId root = graph.classes().back();
    const auto dag = extract_dag(graph, std::span(&root, 1), cost_of);
    const double expected = least_dag_cost(graph, root);
    ASSERT_EQ(dag.has_value(), expected != std::numeric_limits<double>::infinity());
    if (!dag) {
      continue;
    }
    ASSERT_TRUE(dag->is_optimal);
    ASSERT_EQ(dag->cost, expected) << "seed " << seed;
    ASSERT_EQ(dag_cost(graph, dag->choice.node_of, root), expected) << "seed " << seed;
    n_shared += expected < dag_cost(graph, trees.choice.node_of, root) ? 1 : 0;
  }
  EXPECT_GT(n_shared, 5U) << "sometimes the best tree is not the best DAG";
}

TEST(Extraction, PaysForDepth) {
  size_t n_shallower = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const EGraph graph = random_graph(seed);
    const ClassId root = graph.classes().back();
    for (const double price : {0.5, 3.0, 20.0}) {
      const auto dag = extract_dag(graph, std::span(&root, 1), cost_of,
                                   {.depth = {.levels = levels_of, .price = price}});
      if (!dag) {
        continue;
      }
      const double expected = least_dag_cost(graph, root, price);
      ASSERT_TRUE(dag->is_optimal);
      ASSERT_EQ(dag->cost, expected) << "seed " << seed;
      ASSERT_EQ(dag_cost(graph, dag->choice.node_of, root, price), expected) << "seed " << seed;
      const auto free = extract_dag(graph, std::span(&root, 1), cost_of);
      n_shallower += dag_cost(graph, free->choice.node_of, root, price) > expected ? 1 : 0;
    }
  }
  EXPECT_GT(n_shallower, 20U) << "sometimes it pays to be shallow";
}

TEST(Extraction, PaysForSharingOnce) {
  // As a tree (pow (* 3 x) (+ x x)) is best; sharing (+ x x) makes (+ x (+ x x)) cheaper.
  WordOps ops;
  EGraph graph;
  const ClassId root = add_term(graph, "(pow (* 3 x) (+ x x))", ops);
  graph.merge(add_term(graph, "(* 3 x)", ops), add_term(graph, "(+ x (+ x x))", ops));
  graph.rebuild();
  const auto dag = extract_dag(graph, std::span(&root, 1), [](const ENode&) { return 1.0; });
  ASSERT_TRUE(dag.has_value());
  EXPECT_EQ(dag->cost, 4);
  std::string names;
  for (const NodeId node : chosen_nodes(graph, dag->choice, std::span(&root, 1))) {
    names += ops.word(graph.node(node).op) + " ";
  }
  EXPECT_EQ(names, "x + + pow ");
}

TEST(Extraction, GivesABoundWhenItStops) {
  const EGraph graph = random_graph(5);
  const std::vector<ClassId> roots = graph.classes();
  const auto all = extract_dag(graph, roots, cost_of);
  const auto some = extract_dag(graph, roots, cost_of, {.max_steps = 0});
  ASSERT_TRUE(all && some);
  EXPECT_FALSE(some->is_optimal);
  EXPECT_LE(some->lower_bound, all->cost);
  EXPECT_GE(some->cost, all->cost);
}

}  // namespace
}  // namespace tacet::egraph
