#include "compiler/core/egraph/ematch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "compiler/core/egraph/rewrite.h"

namespace tacet::egraph {
namespace {

using Found = std::set<std::vector<ClassId>>;

/// Every assignment of classes to variables for which the graph knows all terms of the query and
/// has each in the class of its variable.
auto brute_force(const EGraph& graph, const Query& query) -> Found {
  const std::vector<ClassId> classes = graph.classes();
  std::vector<ClassId> assignment(query.n_vars());
  Found found;
  const auto try_all = [&](auto&& self, uint32_t var) -> void {
    if (var < query.n_vars()) {
      for (const ClassId id : classes) {
        assignment[var] = id;
        self(self, var + 1);
      }
      return;
    }
    for (const Equation& equation : query.equations()) {
      if (lookup_pattern(graph, equation.pattern, assignment) != assignment[equation.var.index]) {
        return;
      }
    }
    found.insert(assignment);
  };
  try_all(try_all, 0);
  return found;
}

auto as_set(const MatchList& matches) -> Found {
  Found found;
  for (size_t i = 0; i < matches.size(); ++i) {
    found.emplace(matches[i].begin(), matches[i].end());
  }
  return found;
}

class RandomCase {
 public:
  explicit RandomCase(uint32_t seed) : random_(seed) {}

  auto graph() -> EGraph {
    EGraph graph;
    std::vector<ClassId> ids;
    const size_t n_terms = 4 + below(8);
    while (ids.size() < n_terms) {
      const uint32_t n_children = ids.empty() ? 0 : below(3);
      std::vector<ClassId> children;
      for (uint32_t i = 0; i < n_children; ++i) {
        children.push_back(ids[below(static_cast<uint32_t>(ids.size()))]);
      }
      ids.push_back(graph.add(op(n_children), children));
    }
    for (uint32_t i = below(4); i > 0; --i) {
      graph.merge(ids[below(static_cast<uint32_t>(ids.size()))],
                  ids[below(static_cast<uint32_t>(ids.size()))]);
    }
    graph.rebuild();
    return graph;
  }

  /// Equations over few variables, so that they share some. All variables occur.
  auto query(uint32_t n_equations) -> Query {
    const uint32_t n_names = 1 + below(3);
    VarTable vars;
    std::vector<Equation> equations;
    for (uint32_t i = 0; i < n_equations; ++i) {
      const VarId var = vars.id(std::to_string(below(n_names)));
      Pattern pattern;
      grow(pattern, vars, n_names, 2);
      equations.push_back({var, std::move(pattern)});
    }
    return {std::move(equations), vars.size()};
  }

 private:
  auto grow(Pattern& pattern, VarTable& vars, uint32_t n_names, uint32_t depth) -> Pattern::Place {
    if (depth == 0 || below(4) == 0) {
      return below(4) == 0 ? pattern.node(op(0), {})
                           : pattern.var(vars.id(std::to_string(below(n_names))));
    }
    std::vector<Pattern::Place> children;
    for (uint32_t i = 1 + below(2); i > 0; --i) {
      children.push_back(grow(pattern, vars, n_names, depth - 1));
    }
    return pattern.node(op(static_cast<uint32_t>(children.size())), children);
  }
  auto op(uint32_t n_children) -> OpId { return {n_children * 2 + below(2)}; }
  auto below(uint32_t n) -> uint32_t { return static_cast<uint32_t>(random_() % n); }

  std::mt19937 random_;
};

TEST(EMatching, FindsWhatBruteForceFinds) {
  size_t n_found = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    RandomCase random(seed);
    const EGraph graph = random.graph();
    const Query query = random.query(1 + seed % 3);
    const Found expected = brute_force(graph, query);
    ASSERT_EQ(as_set(query.search(graph)), expected) << "seed " << seed;
    n_found += expected.size();
    const VarId root = query.equations().front().var;
    for (const ClassId id : graph.classes()) {
      Found of_class;
      std::copy_if(expected.begin(), expected.end(), std::inserter(of_class, of_class.end()),
                   [&](const auto& match) { return match[root.index] == id; });
      ASSERT_EQ(as_set(query.search_class(graph, id)), of_class) << "seed " << seed;
    }
  }
  EXPECT_GT(n_found, 1000U) << "the cases say something";
}

TEST(EMatching, StopsAtTheLimit) {
  WordOps ops;
  EGraph graph;
  for (int i = 0; i < 10; ++i) {
    add_term(graph, "(f " + std::to_string(i) + ")", ops);
  }
  graph.rebuild();
  const Rewrite rewrite = make_rewrite("r", "(f ?x)", "?x", ops);
  EXPECT_EQ(rewrite.query.search(graph).size(), 10U);
  EXPECT_EQ(rewrite.query.search(graph, 3).size(), 3U);
  EXPECT_EQ(rewrite.query.search(graph, 0).size(), 0U);
}

TEST(EMatching, ReadsAndPrintsPatterns) {
  WordOps ops;
  VarTable vars;
  const char* text = "(+ ?a (f 1 ?b ?a))";
  EXPECT_EQ(print_pattern(parse_pattern(text, ops, vars), ops, vars), text);
}

}  // namespace
}  // namespace tacet::egraph
