#include "compiler/core/egraph/dag_problem.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace tacet::egraph {
namespace {

/// A set of classes, numbered densely.
class ClassSet {
 public:
  explicit ClassSet(size_t n) : words_((n + 63) / 64) {}
  void fill(size_t n) {
    for (size_t i = 0; i < n; ++i) {
      insert(i);
    }
  }
  void insert(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  void unite(const ClassSet& other) {
    for (size_t w = 0; w < words_.size(); ++w) {
      words_[w] |= other.words_[w];
    }
  }
  void intersect(const ClassSet& other) {
    for (size_t w = 0; w < words_.size(); ++w) {
      words_[w] &= other.words_[w];
    }
  }
  [[nodiscard]] auto elements() const -> std::vector<uint32_t> {
    std::vector<uint32_t> result;
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        result.push_back(static_cast<uint32_t>(w * 64) +
                         static_cast<uint32_t>(std::countr_zero(rest)));
      }
    }
    return result;
  }
  friend auto operator==(const ClassSet&, const ClassSet&) -> bool = default;

 private:
  std::vector<uint64_t> words_;
};

/// An option is needless if another costs no more, is no deeper, and needs no other children. Keeps
/// `greedy`.
void drop_needless(std::vector<DagOption>& options, NodeId greedy) {
  std::stable_sort(options.begin(), options.end(), [](const DagOption& a, const DagOption& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.children.size() < b.children.size();
  });
  std::vector<DagOption> kept;
  for (DagOption& option : options) {
    const bool is_needless = std::any_of(kept.begin(), kept.end(), [&](const DagOption& other) {
      return other.levels <= option.levels &&
             std::includes(option.children.begin(), option.children.end(), other.children.begin(),
                           other.children.end());
    });
    if (!is_needless || option.node == greedy) {
      kept.push_back(std::move(option));
    }
  }
  options = std::move(kept);
}

/// What all of the options need.
auto needs_of(std::span<const DagOption> options, std::span<const ClassSet> all) -> ClassSet {
  ClassSet result(all.size());
  for (size_t i = 0; i < options.size(); ++i) {
    ClassSet of_option(all.size());
    for (const uint32_t child : options[i].children) {
      of_option.unite(all[child]);
    }
    if (i == 0) {
      result = std::move(of_option);
    } else {
      result.intersect(of_option);
    }
  }
  return result;
}

/// What every term of a class contains: the greatest solution of
/// needs(c) = {c} ∪ ⋂ over options of ⋃ over children of needs(child).
void find_needs(DagProblem& problem) {
  const size_t n = problem.ids.size();
  constexpr size_t kTooMany = 16'384;  // the sets take n²/8 bytes while they are computed
  if (n > kTooMany) {
    for (uint32_t c = 0; c < n; ++c) {
      problem.needs.push_back({c});
    }
    return;
  }
  std::vector<ClassSet> all(n, ClassSet(n));
  for (ClassSet& needs : all) {
    needs.fill(n);
  }
  for (bool changed = true; changed;) {
    changed = false;
    // Children tend to have higher numbers than those that need them.
    for (size_t c = n; c-- > 0;) {
      ClassSet needs = needs_of(problem.options[c], all);
      needs.insert(c);
      if (!(needs == all[c])) {
        all[c] = std::move(needs);
        changed = true;
      }
    }
  }
  for (const ClassSet& needs : all) {
    problem.needs.push_back(needs.elements());
  }
}

/// The least solution of depth(c) = min over options of levels + max over children, from below:
/// what is on a cycle stays as low as the rest allows.
void find_least_depths(DagProblem& problem) {
  problem.least_depth.assign(problem.ids.size(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t c = problem.ids.size(); c-- > 0;) {
      uint32_t least = UINT32_MAX;
      for (const DagOption& option : problem.options[c]) {
        uint32_t depth = 0;
        for (const uint32_t child : option.children) {
          depth = std::max(depth, problem.least_depth[child]);
        }
        least = std::min(least, depth + option.levels);
      }
      if (least > problem.least_depth[c]) {
        problem.least_depth[c] = least;
        changed = true;
      }
    }
  }
}

class Builder {
 public:
  Builder(const EGraph& graph, const NodeCost& cost, const DagDepth& depth)
      : graph_(graph),
        cost_(cost),
        depth_(depth),
        trees_(extract_trees<double>(graph,
                                     [&](const ENode& node, std::span<const double> costs) {
                                       double sum = cost(node);
                                       for (const double child : costs) {
                                         sum += child;
                                       }
                                       return sum;
                                     })),
        number_(graph.n_ids(), kNone) {}

  auto build(std::span<const ClassId> roots) -> std::optional<DagProblem> {
    for (const ClassId root : roots) {
      if (!has_term(graph_.find(root))) {
        return std::nullopt;
      }
      problem_.roots.push_back(number(graph_.find(root)));
    }
    for (size_t c = 0; c < problem_.ids.size(); ++c) {
      add_options(c);
    }
    for (size_t c = 0; c < problem_.ids.size(); ++c) {
      problem_.least_cost.push_back(problem_.options[c].front().cost);
    }
    find_least_depths(problem_);
    find_needs(problem_);
    return std::move(problem_);
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  auto has_term(ClassId id) const -> bool { return trees_.cost_of[id.index].has_value(); }

  auto number(ClassId id) -> uint32_t {
    uint32_t& number = number_[id.index];
    if (number == kNone) {
      number = static_cast<uint32_t>(problem_.ids.size());
      problem_.ids.push_back(id);
    }
    return number;
  }

  void add_options(size_t c) {
    const ClassId id = problem_.ids[c];
    std::vector<DagOption> options;
    for (const ENode& node : graph_.nodes(id)) {
      const auto children = graph_.children(node);
      const auto is_usable = [&](ClassId child) { return child != id && has_term(child); };
      if (!std::all_of(children.begin(), children.end(), is_usable)) {
        continue;
      }
      DagOption option{.node = node.id,
                       .cost = cost_(node),
                       .levels = depth_.levels ? depth_.levels(node) : 0,
                       .children = {}};
      TACET_CHECK(option.cost >= 0, "the cost of a node is negative");
      for (const ClassId child : children) {
        option.children.push_back(number(child));
      }
      std::sort(option.children.begin(), option.children.end());
      option.children.erase(std::unique(option.children.begin(), option.children.end()),
                            option.children.end());
      options.push_back(std::move(option));
    }
    const NodeId greedy = trees_.choice.node_of[id.index];
    drop_needless(options, greedy);
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const DagOption& option) { return option.node == greedy; });
    problem_.greedy.push_back(static_cast<uint32_t>(found - options.begin()));
    problem_.options.push_back(std::move(options));
  }

  const EGraph& graph_;
  const NodeCost& cost_;
  const DagDepth& depth_;
  Extraction<double> trees_;
  std::vector<uint32_t> number_;
  DagProblem problem_;
};

}  // namespace

auto make_dag_problem(const EGraph& graph, std::span<const ClassId> roots, const NodeCost& cost,
                      const DagDepth& depth) -> std::optional<DagProblem> {
  return Builder(graph, cost, depth).build(roots);
}

}  // namespace tacet::egraph
