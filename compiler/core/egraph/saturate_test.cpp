#include "compiler/core/egraph/saturate.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/core/egraph/extract.h"
#include "compiler/core/egraph/invariants.h"

namespace tacet::egraph {
namespace {

struct Calculus {
  WordOps ops;
  std::vector<Rewrite> rewrites;

  void rule(const char* name, const char* left, const char* right) {
    rewrites.push_back(make_rewrite(name, left, right, ops));
  }
  /// The axioms of commutative rings, and some of their consequences.
  void add_ring() {
    rule("comm-add", "(+ ?a ?b)", "(+ ?b ?a)");
    rule("comm-mul", "(* ?a ?b)", "(* ?b ?a)");
    rule("assoc-add", "(+ ?a (+ ?b ?c))", "(+ (+ ?a ?b) ?c)");
    rule("assoc-mul", "(* ?a (* ?b ?c))", "(* (* ?a ?b) ?c)");
    rule("zero", "(+ ?a 0)", "?a");
    rule("one", "(* ?a 1)", "?a");
    rule("annihilate", "(* ?a 0)", "0");
    rule("cancel", "(- ?a ?a)", "0");
    rule("subtract", "(- ?a ?b)", "(+ ?a (* -1 ?b))");
    rule("distribute", "(* ?a (+ ?b ?c))", "(+ (* ?a ?b) (* ?a ?c))");
    rule("factor", "(+ (* ?a ?b) (* ?a ?c))", "(* ?a (+ ?b ?c))");
  }
};

auto run(Calculus& calculus, EGraph& graph, SaturationOptions options = {}) -> SaturationReport {
  return saturate(graph, calculus.rewrites, options);
}

TEST(Saturate, ProvesThatSquaresExpand) {
  Calculus calculus;
  calculus.add_ring();
  EGraph graph;
  const ClassId a = add_term(graph, "(* (+ x y) (+ x y))", calculus.ops);
  const ClassId b = add_term(graph, "(+ (* x x) (+ (+ (* x y) (* x y)) (* y y)))", calculus.ops);
  SaturationOptions options;
  options.is_done = [&](const EGraph& now) { return now.are_equal(a, b); };
  EXPECT_EQ(run(calculus, graph, options).stop_reason, StopReason::GoalReached);
}

TEST(Saturate, SumsHaveAClassPerSubset) {
  Calculus calculus;
  calculus.rule("comm", "(+ ?a ?b)", "(+ ?b ?a)");
  calculus.rule("assoc", "(+ ?a (+ ?b ?c))", "(+ (+ ?a ?b) ?c)");
  EGraph graph;
  add_term(graph, "(+ 1 (+ 2 (+ 3 (+ 4 (+ 5 (+ 6 7))))))", calculus.ops);
  SaturationOptions options{.max_nodes = 100'000};
  options.scheduler.kind = SchedulerOptions::Kind::Simple;
  EXPECT_EQ(run(calculus, graph, options).stop_reason, StopReason::Saturated);
  EXPECT_EQ(graph.n_classes(), 127U) << "2^7 - 1 subsets";
  // Ordered pairs of disjoint non-empty subsets, and seven leaves: 3^7 - 2·2^7 + 1 + 7.
  EXPECT_EQ(graph.n_nodes(), 1939U);
  EXPECT_EQ(broken_invariants(graph), std::vector<std::string>());
}

TEST(Saturate, EveryTermOfAClassHasOneValue) {
  constexpr int64_t kPrime = 1'000'003;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Calculus calculus;
    calculus.add_ring();
    std::mt19937 random(seed);
    const auto grow = [&](auto&& self, int depth) -> std::string {
      static constexpr const char* kLeaves[] = {"x", "y", "z", "0", "1", "-1"};
      if (depth == 0 || random() % 4 == 0) {
        return kLeaves[random() % std::size(kLeaves)];
      }
      const std::string op(1, "+*-"[random() % 3]);
      return "(" + op + " " + self(self, depth - 1) + " " + self(self, depth - 1) + ")";
    };
    EGraph graph(seed % 2 == 0 ? Explanations::Off : Explanations::On);
    add_term(graph, grow(grow, 4), calculus.ops);
    run(calculus, graph, {.max_nodes = 2000, .max_iterations = 8});

    const int64_t values[] = {static_cast<int64_t>(random() % kPrime),
                              static_cast<int64_t>(random() % kPrime),
                              static_cast<int64_t>(random() % kPrime)};
    std::vector<int64_t> value_of(graph.n_ids(), -1);
    const auto evaluate = [&](const ENode& node) -> int64_t {
      const std::string& word = calculus.ops.word(node.op);
      const auto children = graph.children(node);
      if (children.empty()) {
        return word.size() == 1 && word[0] >= 'x' ? values[word[0] - 'x']
                                                  : (std::stoll(word) + kPrime) % kPrime;
      }
      const int64_t a = value_of[children[0].index];
      const int64_t b = value_of[children[1].index];
      return (word == "+" ? a + b : word == "-" ? a - b + kPrime : a * b) % kPrime;
    };
    const auto trees =
        extract_trees<size_t>(graph, [](const ENode&, std::span<const size_t> children) {
          size_t size = 1;
          for (const size_t child : children) {
            size = std::max(size, child + 1);
          }
          return size;
        });
    for (const NodeId id : chosen_nodes(graph, trees.choice, graph.classes())) {
      value_of[graph.find(ClassId{id.index}).index] = evaluate(graph.node(id));
    }
    for (const ClassId id : graph.classes()) {
      for (const ENode& node : graph.nodes(id)) {
        ASSERT_EQ(evaluate(node), value_of[id.index]) << "seed " << seed;
      }
    }
  }
}

TEST(Saturate, RulesOverSeveralPatternsJoin) {
  Calculus calculus;
  calculus.rewrites.push_back(make_multi_rewrite(
      "transitive", "?x = (path ?a ?b), ?y = (edge ?b ?c)", "?y = (path ?a ?c)", calculus.ops));
  EGraph graph;
  for (const char* fact : {"(edge 1 2)", "(edge 2 3)", "(edge 3 4)", "(path 1 2)", "true"}) {
    graph.merge(add_term(graph, fact, calculus.ops), add_term(graph, "true", calculus.ops));
  }
  EXPECT_EQ(run(calculus, graph).stop_reason, StopReason::Saturated);
  EXPECT_TRUE(graph.are_equal(add_term(graph, "(path 1 4)", calculus.ops),
                              add_term(graph, "true", calculus.ops)));
  EXPECT_FALSE(graph.are_equal(add_term(graph, "(path 2 4)", calculus.ops),
                               add_term(graph, "true", calculus.ops)));
}

TEST(Saturate, ConditionsHold) {
  Calculus calculus;
  calculus.rewrites.push_back(
      make_rewrite("cancel", "(/ ?a ?a)", "1", calculus.ops)
          .when([&](const EGraph& graph, Match match) {
            return graph.nodes(match[0], calculus.ops.parse_op("0")).empty();
          }));
  EGraph graph;
  const ClassId good = add_term(graph, "(/ x x)", calculus.ops);
  const ClassId bad = add_term(graph, "(/ 0 0)", calculus.ops);
  run(calculus, graph);
  EXPECT_TRUE(graph.are_equal(good, add_term(graph, "1", calculus.ops)));
  EXPECT_FALSE(graph.are_equal(bad, add_term(graph, "1", calculus.ops)));
}

TEST(Saturate, SaysWhyItStopped) {
  Calculus calculus;
  calculus.rule("grow", "?a", "(f ?a)");
  // One new class in each iteration, for ever.
  calculus.rewrites.push_back(
      make_dynamic_rewrite("count", "(g ?a)", calculus.ops, [&](VarTable& vars) {
        return [&, a = vars.find("a")](EGraph& now, Match match) {
          now.add(calculus.ops.parse_op("g"),
                  {now.add(calculus.ops.parse_op("s"), {match[a.index]})});
          return ClassId{};
        };
      }));
  const auto reason = [&](SaturationOptions options) {
    EGraph graph;
    add_term(graph, "x", calculus.ops);
    add_term(graph, "(g y)", calculus.ops);
    options.scheduler.kind = SchedulerOptions::Kind::Simple;
    const StopReason stop = run(calculus, graph, options).stop_reason;
    EXPECT_TRUE(graph.is_clean());
    return stop;
  };
  double seconds = 0;
  EXPECT_EQ(reason({.max_nodes = 20, .max_iterations = 1000}), StopReason::NodeLimit);
  EXPECT_EQ(reason({.max_nodes = 20'000, .max_iterations = 5}), StopReason::IterationLimit);
  EXPECT_EQ(
      reason({.max_iterations = 1000, .clock = [&] { return seconds += 1; }, .max_seconds = 60}),
      StopReason::TimeLimit);
  int n_polls = 0;
  EXPECT_EQ(reason({.max_iterations = 1000, .is_cancelled = [&] { return ++n_polls > 9; }}),
            StopReason::Cancelled);
}

TEST(Saturate, BackOffLetsOthersRun) {
  // Sums of ten explode; the one product is still simplified within a small graph.
  Calculus calculus;
  calculus.rule("comm", "(+ ?a ?b)", "(+ ?b ?a)");
  calculus.rule("assoc", "(+ ?a (+ ?b ?c))", "(+ (+ ?a ?b) ?c)");
  calculus.rule("one", "(* ?a 1)", "?a");
  EGraph graph;
  add_term(graph, "(+ 1 (+ 2 (+ 3 (+ 4 (+ 5 (+ 6 (+ 7 (+ 8 (+ 9 10)))))))))", calculus.ops);
  SaturationOptions options{.max_nodes = 1'000'000, .max_iterations = 12};
  options.scheduler.match_limit = 100;
  const SaturationReport report = run(calculus, graph, options);
  size_t n_bans = 0;
  for (const IterationReport& iteration : report.iterations) {
    n_bans += iteration.rewrites[0].was_banned ? 1 : 0;
  }
  EXPECT_GT(n_bans, 0U);
  EXPECT_LT(graph.n_nodes(), 5000U);
}

TEST(Saturate, BackOffStillSaturates) {
  Calculus calculus;
  calculus.rule("comm", "(+ ?a ?b)", "(+ ?b ?a)");
  calculus.rule("assoc", "(+ ?a (+ ?b ?c))", "(+ (+ ?a ?b) ?c)");
  EGraph graph;
  add_term(graph, "(+ 1 (+ 2 (+ 3 (+ 4 5))))", calculus.ops);
  SaturationOptions options{.max_iterations = 200};
  options.scheduler.match_limit = 5;
  EXPECT_EQ(run(calculus, graph, options).stop_reason, StopReason::Saturated);
  EXPECT_EQ(graph.n_classes(), 31U);
}

}  // namespace
}  // namespace tacet::egraph
