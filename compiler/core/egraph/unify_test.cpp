#include "compiler/core/egraph/unify.h"

#include <gtest/gtest.h>

#include <unordered_map>

#include "compiler/core/egraph/text.h"

namespace tacet::egraph {
namespace {

/// A specification and an implementation in one graph, as quotient deduction has them: named
/// classes on the left; on the right words that begin with % are unknowns.
struct Deduction {
  WordOps ops;
  EGraph graph;
  std::unordered_map<ClassId, uint32_t> labels;

  auto name(const char* term) -> ClassId {
    const ClassId id = add_term(graph, term, ops);
    graph.rebuild();
    labels.try_emplace(graph.find(id), static_cast<uint32_t>(labels.size()));
    return id;
  }
  auto term(const char* text) -> ClassId {
    const ClassId id = add_term(graph, text, ops);
    graph.rebuild();
    return id;
  }
  auto rules() -> UnifyRules {
    return {.label =
                [this](ClassId id) {
                  const auto found = labels.find(id);
                  return found == labels.end() ? UnifyRules::kNoLabel : found->second;
                },
            .is_rigid = [this](OpId op) { return !ops.word(op).starts_with('%'); }};
  }
};

TEST(Unify, DeducesWhatTheUnknownsAre) {
  Deduction d;
  const ClassId x = d.name("x");
  const ClassId left = d.name("(mul x 2)");
  const ClassId out = d.name("(select (lt x 0) (mul x 2) (sub x 2))");
  const ClassId impl = d.term("(select %d %l (sub %x %two))");
  const Unification plan = plan_unification(d.graph, out, impl, d.rules());
  ASSERT_FALSE(plan.conflict.has_value());
  EXPECT_FALSE(d.graph.are_equal(out, impl)) << "a plan changes nothing";
  EXPECT_TRUE(commit(d.graph, plan, Reason::fact(0)));
  EXPECT_TRUE(d.graph.are_equal(d.term("%x"), x));
  EXPECT_TRUE(d.graph.are_equal(d.term("%l"), left));
  EXPECT_TRUE(d.graph.are_equal(d.term("%d"), d.term("(lt x 0)")));
}

TEST(Unify, ReportsTheNodesThatDoNotFit) {
  Deduction d;
  const ClassId out = d.name("(select (lt x 0) (mul x 2) (sub x 2))");
  const ClassId impl = d.term("(select (lt %x 0) (sub %x 2) (mul %x 2))");
  const Unification plan = plan_unification(d.graph, out, impl, d.rules());
  ASSERT_TRUE(plan.conflict.has_value());
  EXPECT_EQ(plan.conflict->kind, Unification::Conflict::Kind::Nodes);
  EXPECT_EQ(plan.path_to(plan.conflict->pair), std::vector<uint32_t>{1});
  EXPECT_EQ(d.ops.word(d.graph.node(plan.conflict->left_node).op), "mul");
  EXPECT_EQ(d.ops.word(d.graph.node(plan.conflict->right_node).op), "sub");
}

TEST(Unify, ReportsAnUnknownThatWouldBeTwoThings) {
  // One shared value cannot be two nodes of the specification, though both are the literal 2.
  Deduction d;
  const ClassId a = d.name("(named-a 2)");
  const ClassId b = d.name("(named-b 2)");
  UnifyRules rules = d.rules();
  rules.is_rigid = [&](OpId op) { return d.ops.word(op) == "add"; };
  const ClassId out = d.term("(add (named-a 2) (named-b 2))");
  const ClassId impl = d.term("(add %two %two)");
  const Unification plan = plan_unification(d.graph, out, impl, rules);
  ASSERT_TRUE(plan.conflict.has_value());
  EXPECT_EQ(plan.conflict->kind, Unification::Conflict::Kind::Labels);
  EXPECT_EQ(plan.path_to(plan.conflict->pair), std::vector<uint32_t>{1});
  EXPECT_EQ(std::pair(plan.conflict->left, plan.conflict->right), std::pair(b, a));
}

TEST(Unify, ClientsPairChildrenTheirWay) {
  // A call may have more arguments than its specification; the surplus is in front.
  Deduction d;
  UnifyRules rules = d.rules();
  rules.pair_children = [&](const ENode& spec, const ENode& impl, UnifyRules::Pairs& pairs) {
    if (spec.op != impl.op || spec.n_children > impl.n_children) {
      return false;
    }
    const uint32_t surplus = impl.n_children - spec.n_children;
    for (uint32_t i = 0; i < spec.n_children; ++i) {
      pairs.emplace_back(d.graph.children(spec)[i], d.graph.children(impl)[i + surplus]);
    }
    return true;
  };
  const ClassId out = d.name("(call x y)");
  const ClassId impl = d.term("(call %dropped %x %y)");
  const Unification plan = plan_unification(d.graph, out, impl, rules);
  ASSERT_FALSE(plan.conflict.has_value());
  commit(d.graph, plan, Reason::fact(0));
  EXPECT_TRUE(d.graph.are_equal(d.term("%x"), d.term("x")));
  EXPECT_FALSE(d.graph.are_equal(d.term("%dropped"), d.term("x")));
}

}  // namespace
}  // namespace tacet::egraph
