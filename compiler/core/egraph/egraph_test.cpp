#include "compiler/core/egraph/egraph.h"

#include <gtest/gtest.h>

#include <random>

#include "compiler/core/egraph/invariants.h"
#include "compiler/core/egraph/text.h"

namespace tacet::egraph {
namespace {

/// Congruence closure as it is defined: a partition of terms, refined until nothing changes.
class NaiveClosure {
 public:
  void add(OpId op, std::vector<size_t> children) {
    terms_.push_back({op, std::move(children)});
    part_.push_back(part_.size());
  }
  void merge(size_t a, size_t b) { merge_parts(part_[a], part_[b]); }
  void close() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t a = 0; a < terms_.size(); ++a) {
        for (size_t b = 0; b < a; ++b) {
          if (part_[a] != part_[b] && are_congruent(a, b)) {
            merge_parts(part_[a], part_[b]);
            changed = true;
          }
        }
      }
    }
  }
  [[nodiscard]] auto are_equal(size_t a, size_t b) const -> bool { return part_[a] == part_[b]; }
  [[nodiscard]] auto size() const -> size_t { return terms_.size(); }

 private:
  struct Term {
    OpId op;
    std::vector<size_t> children;
  };

  void merge_parts(size_t a, size_t b) {
    for (size_t& part : part_) {
      part = part == b ? a : part;
    }
  }
  [[nodiscard]] auto are_congruent(size_t a, size_t b) const -> bool {
    const Term& x = terms_[a];
    const Term& y = terms_[b];
    if (x.op != y.op || x.children.size() != y.children.size()) {
      return false;
    }
    for (size_t i = 0; i < x.children.size(); ++i) {
      if (part_[x.children[i]] != part_[y.children[i]]) {
        return false;
      }
    }
    return true;
  }

  std::vector<Term> terms_;
  std::vector<size_t> part_;
};

/// Grows a graph and a naive closure by the same random steps.
class RandomGrowth {
 public:
  RandomGrowth(uint32_t seed, Explanations explanations) : random_(seed), graph(explanations) {}

  void grow(size_t n_steps) {
    for (size_t i = 0; i < n_steps; ++i) {
      const uint32_t die = below(10);
      if (ids.size() < 4 || die < 6) {
        add();
      } else if (die < 9) {
        const uint32_t a = below(static_cast<uint32_t>(ids.size()));
        const uint32_t b = below(static_cast<uint32_t>(ids.size()));
        graph.merge(ids[a], ids[b], Reason::fact(static_cast<uint32_t>(i)));
        naive.merge(a, b);
      } else {
        graph.rebuild();
      }
    }
    graph.rebuild();
    naive.close();
  }

 private:
  void add() {
    // An operator is used with different numbers of children on purpose.
    const OpId op{below(5)};
    const uint32_t n_children = ids.empty() || op.index < 2 ? 0 : below(4);
    std::vector<size_t> children;
    std::vector<ClassId> child_ids;
    for (uint32_t i = 0; i < n_children; ++i) {
      children.push_back(below(static_cast<uint32_t>(ids.size())));
      child_ids.push_back(ids[children.back()]);
    }
    ids.push_back(graph.add(op, child_ids));
    naive.add(op, std::move(children));
  }
  auto below(uint32_t n) -> uint32_t { return static_cast<uint32_t>(random_() % n); }

  std::mt19937 random_;

 public:
  EGraph graph;
  NaiveClosure naive;
  std::vector<ClassId> ids;
};

class Closure : public testing::TestWithParam<Explanations> {};

TEST_P(Closure, AgreesWithTheDefinition) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    RandomGrowth growth(seed, GetParam());
    for (int round = 0; round < 3; ++round) {
      growth.grow(5 + seed / 6);
      ASSERT_EQ(broken_invariants(growth.graph), std::vector<std::string>()) << "seed " << seed;
      for (size_t a = 0; a < growth.ids.size(); ++a) {
        for (size_t b = 0; b < a; ++b) {
          ASSERT_EQ(growth.graph.are_equal(growth.ids[a], growth.ids[b]),
                    growth.naive.are_equal(a, b))
              << "seed " << seed << " terms " << a << " " << b;
        }
      }
    }
  }
}

TEST_P(Closure, DependsOnTheStepsAlone) {
  RandomGrowth one(7, GetParam());
  RandomGrowth two(7, GetParam());
  one.grow(400);
  two.grow(400);
  EXPECT_EQ(one.ids, two.ids);
  EXPECT_EQ(one.graph.classes(), two.graph.classes());
}

TEST_P(Closure, OfACopyIsItsOwn) {
  RandomGrowth growth(11, GetParam());
  growth.grow(150);
  const size_t n_classes = growth.graph.n_classes();
  EGraph copy = growth.graph;
  for (const ClassId id : growth.ids) {
    copy.merge(growth.ids.front(), id);
  }
  copy.rebuild();
  EXPECT_EQ(copy.n_classes(), 1U);
  EXPECT_EQ(broken_invariants(copy), std::vector<std::string>());
  EXPECT_EQ(growth.graph.n_classes(), n_classes);
  EXPECT_EQ(broken_invariants(growth.graph), std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutExplanations, Closure,
                         testing::Values(Explanations::Off, Explanations::On));

TEST(EGraph, KeepsATermOnce) {
  WordOps ops;
  EGraph graph;
  EXPECT_EQ(add_term(graph, "(+ a (f b))", ops), add_term(graph, "(+ a (f b))", ops));
  EXPECT_EQ(graph.n_nodes(), 4U);
}

TEST(EGraph, FindsCongruentTerms) {
  WordOps ops;
  EGraph graph;
  const ClassId fa = add_term(graph, "(f a)", ops);
  const ClassId fb = add_term(graph, "(f b)", ops);
  graph.merge(add_term(graph, "a", ops), add_term(graph, "b", ops));
  EXPECT_FALSE(graph.are_equal(fa, fb)) << "congruence waits";
  EXPECT_EQ(graph.rebuild(), 1U);
  EXPECT_TRUE(graph.are_equal(fa, fb));
  EXPECT_EQ(graph.nodes(fa).size(), 1U) << "congruent nodes are one";
}

TEST(EGraph, AgreesWithOneCycle) {
  WordOps ops;
  EGraph graph;
  const ClassId a = add_term(graph, "a", ops);
  graph.merge(a, add_term(graph, "(f a)", ops));
  graph.rebuild();
  EXPECT_EQ(add_term(graph, "(f (f (f a)))", ops), graph.find(a));
}

}  // namespace
}  // namespace tacet::egraph
