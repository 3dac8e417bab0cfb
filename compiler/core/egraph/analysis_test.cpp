#include "compiler/core/egraph/analysis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

#include "compiler/core/egraph/invariants.h"
#include "compiler/core/egraph/random_graph_test.h"
#include "compiler/core/egraph/text.h"

namespace tacet::egraph {
namespace {

/// The height of the lowest term of a class: a least fixpoint that merging lowers.
struct Height {
  using Fact = uint32_t;

  static auto make(const EGraph& graph, const ENode& node, const ClassFacts<Height>& facts)
      -> Fact {
    Fact height = 1;
    for (const ClassId child : graph.children(node)) {
      height = std::max(height, facts.of(graph, child) + 1);
    }
    return height;
  }
  static auto merge(Fact& into, const Fact& from) -> DidMerge {
    const DidMerge did{.changed_into = from < into, .changed_from = into < from};
    into = std::min(into, from);
    return did;
  }
};

/// Heights by iteration until nothing changes.
auto heights(const EGraph& graph) -> std::vector<uint32_t> {
  std::vector<uint32_t> result(graph.n_ids(), UINT32_MAX - 1);
  for (bool changed = true; changed;) {
    changed = false;
    for (const ClassId id : graph.classes()) {
      for (const ENode& node : graph.nodes(id)) {
        uint32_t height = 1;
        for (const ClassId child : graph.children(node)) {
          height = std::max(height, result[child.index] + 1);
        }
        if (height < result[id.index]) {
          result[id.index] = height;
          changed = true;
        }
      }
    }
  }
  return result;
}

TEST(Analysis, IsAtItsFixpointAfterRebuild) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    EGraph graph;
    const AnalysisKey<Height> key = graph.attach(Height{});
    std::vector<ClassId> ids;
    for (uint32_t i = 0; i < 60; ++i) {
      add_random_node(graph, ids, random);
      if (random() % 4 == 0) {
        graph.merge(ids[random() % ids.size()], ids[random() % ids.size()]);
      }
      if (random() % 8 == 0) {
        graph.rebuild();
      }
    }
    graph.rebuild();
    ASSERT_EQ(broken_invariants(graph), std::vector<std::string>());
    const std::vector<uint32_t> expected = heights(graph);
    for (const ClassId id : graph.classes()) {
      ASSERT_EQ(graph.fact(key, id), expected[id.index]) << "seed " << seed;
    }
  }
}

/// Folds sums of numbers, and keeps nothing but the number in a class that has one.
class Fold {
 public:
  using Fact = std::optional<int>;

  explicit Fold(WordOps& ops) : ops_(&ops) {}

  auto make(const EGraph& graph, const ENode& node, const ClassFacts<Fold>& facts) const -> Fact {
    const std::string& word = ops_->word(node.op);
    if (node.n_children == 0) {
      return word.find_first_not_of("0123456789") == std::string::npos ? Fact(std::stoi(word))
                                                                       : Fact();
    }
    const Fact a = facts.of(graph, graph.children(node)[0]);
    const Fact b = facts.of(graph, graph.children(node)[1]);
    return a && b ? Fact(*a + *b) : Fact();
  }
  static auto merge(Fact& into, const Fact& from) -> DidMerge {
    const DidMerge did{.changed_into = !into && from, .changed_from = into && !from};
    into = into ? into : from;
    return did;
  }
  void modify(EGraph& graph, ClassId id, const Fact& fact) const {
    if (fact) {
      const OpId number = ops_->parse_op(std::to_string(*fact));
      graph.merge(id, graph.add(number, {}));
      graph.prune_to(id, number);
    }
  }

 private:
  WordOps* ops_;
};

TEST(Analysis, FoldsConstantsUpwards) {
  WordOps ops;
  EGraph graph;
  const AnalysisKey<Fold> key = graph.attach(Fold(ops));
  const ClassId sum = add_term(graph, "(+ (+ 1 2) (+ x 4))", ops);
  graph.rebuild();
  EXPECT_EQ(graph.fact(key, sum), std::nullopt);
  graph.merge(add_term(graph, "x", ops), add_term(graph, "(+ 3 0)", ops));
  graph.rebuild();
  EXPECT_EQ(graph.fact(key, sum), 10);
  EXPECT_TRUE(graph.are_equal(sum, add_term(graph, "10", ops)));
  EXPECT_EQ(graph.nodes(sum).size(), 1U) << "the sum was pruned";
  EXPECT_TRUE(graph.are_equal(sum, add_term(graph, "(+ 3 7)", ops))) << "but is known";
  graph.rebuild();
  EXPECT_EQ(broken_invariants(graph), std::vector<std::string>());
  const EGraph copy = graph;
  EXPECT_EQ(copy.fact(key, sum), 10);
}

}  // namespace
}  // namespace tacet::egraph
