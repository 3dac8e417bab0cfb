#include "compiler/core/egraph/explain.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/core/egraph/random_graph_test.h"
#include "compiler/core/egraph/saturate.h"

namespace tacet::egraph {
namespace {

/// A judge that knows the facts: fact i says that the i-th pair of terms is equal.
auto term_of(TermBank& terms, const EGraph& graph, ClassId id) -> TermId {
  std::vector<TermId> children;
  for (const ClassId child : graph.spelling(NodeId{id.index})) {
    children.push_back(term_of(terms, graph, child));
  }
  return terms.add(graph.node(NodeId{id.index}).op, children);
}

TEST(Explain, EveryEqualityFollowsFromTheFacts) {
  size_t n_steps = 0;
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    EGraph graph(Explanations::On);
    std::vector<ClassId> ids;
    std::vector<std::pair<ClassId, ClassId>> facts;
    for (uint32_t i = 0; i < 40; ++i) {
      add_random_node(graph, ids, random);
      if (random() % 3 == 0) {
        facts.emplace_back(ids[random() % ids.size()], ids[random() % ids.size()]);
        graph.merge(facts.back().first, facts.back().second,
                    Reason::fact(static_cast<uint32_t>(facts.size() - 1)));
      }
      if (random() % 6 == 0) {
        graph.rebuild();
      }
    }
    graph.rebuild();
    for (const ClassId a : ids) {
      for (const ClassId b : ids) {
        const auto explanation = explain(graph, a, b);
        ASSERT_EQ(explanation.has_value(), graph.are_equal(a, b));
        if (!explanation) {
          continue;
        }
        TermBank bank = explanation->terms;
        ASSERT_EQ(term_of(bank, graph, a), explanation->first);
        ASSERT_EQ(term_of(bank, graph, b), explanation->last);
        const StepJudge judge = [&](const TermBank&, Reason reason, TermId left, TermId right) {
          const auto& [x, y] = facts.at(reason.index);
          return term_of(bank, graph, x) == left && term_of(bank, graph, y) == right;
        };
        ASSERT_EQ(check_explanation(*explanation, {}, judge), std::nullopt) << "seed " << seed;
        n_steps += explanation->steps.size();
      }
    }
  }
  EXPECT_GT(n_steps, 10'000U);
}

struct Ring {
  WordOps ops;
  std::vector<Rewrite> rewrites;

  Ring() {
    rewrites.push_back(make_rewrite("comm-add", "(+ ?a ?b)", "(+ ?b ?a)", ops));
    rewrites.push_back(make_rewrite("comm-mul", "(* ?a ?b)", "(* ?b ?a)", ops));
    rewrites.push_back(make_rewrite("assoc-add", "(+ ?a (+ ?b ?c))", "(+ (+ ?a ?b) ?c)", ops));
    rewrites.push_back(
        make_rewrite("distribute", "(* ?a (+ ?b ?c))", "(+ (* ?a ?b) (* ?a ?c))", ops));
    rewrites.push_back(make_rewrite("zero", "(+ ?a 0)", "?a", ops));
    rewrites.push_back(make_rewrite("cancel", "(- ?a ?a)", "0", ops));
  }
};

TEST(Explain, RewritesAreReplayed) {
  Ring ring;
  EGraph graph(Explanations::On);
  const ClassId a = add_term(graph, "(* (+ x y) (+ z (+ 0 (- w w))))", ring.ops);
  const ClassId b = add_term(graph, "(+ (* z y) (* x z))", ring.ops);
  SaturationOptions options{.max_nodes = 20'000};
  options.is_done = [&](const EGraph& now) { return now.are_equal(a, b); };
  ASSERT_EQ(saturate(graph, ring.rewrites, options).stop_reason, StopReason::GoalReached);
  const auto explanation = explain(graph, a, b);
  ASSERT_TRUE(explanation.has_value());
  EXPECT_EQ(check_explanation(*explanation, ring.rewrites), std::nullopt);
  EXPECT_FALSE(explanation->steps.empty());

  // And the checker notices tampering.
  Explanation wrong = *explanation;
  wrong.steps.front().reason = Reason::rule(5 - wrong.steps.front().reason.index);
  EXPECT_NE(check_explanation(wrong, ring.rewrites), std::nullopt);
  wrong = *explanation;
  wrong.steps.pop_back();
  EXPECT_NE(check_explanation(wrong, ring.rewrites), std::nullopt);
  wrong = *explanation;
  wrong.steps.front().reversed = !wrong.steps.front().reversed;
  wrong.steps.front().reason = Reason::rule(4);
  EXPECT_NE(check_explanation(wrong, ring.rewrites), std::nullopt);
}

TEST(Explain, SaysWhichRuleWhere) {
  Ring ring;
  EGraph graph(Explanations::On);
  const ClassId a = add_term(graph, "(f (+ x 0) (- y y))", ring.ops);
  const ClassId b = add_term(graph, "(f x 0)", ring.ops);
  saturate(graph, ring.rewrites, {});
  const auto explanation = explain(graph, a, b);
  ASSERT_TRUE(explanation.has_value());
  EXPECT_EQ(print_explanation(*explanation, ring.rewrites, ring.ops),
            "(f (+ x 0) (- y y))\n"
            "  => zero at 0\n"
            "(f x (- y y))\n"
            "  => cancel at 1\n"
            "(f x 0)\n");
}

TEST(Explain, HasNoneForWhatIsNotEqual) {
  Ring ring;
  EGraph graph(Explanations::On);
  const ClassId a = add_term(graph, "a", ring.ops);
  EXPECT_FALSE(explain(graph, a, add_term(graph, "b", ring.ops)).has_value());
  EXPECT_EQ(explain(graph, a, a)->steps.size(), 0U);
}

}  // namespace
}  // namespace tacet::egraph
