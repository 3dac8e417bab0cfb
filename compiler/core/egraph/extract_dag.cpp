#include "compiler/core/egraph/extract_dag.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "compiler/core/egraph/dag_problem.h"

namespace tacet::egraph {
namespace {

constexpr uint32_t kOpen = UINT32_MAX;

/// Depth-first branch and bound. The state is the set of needed classes, those decided, and the
/// certain cost.
class Search {
 public:
  Search(const DagProblem& problem, const DagOptions& options)
      : problem_(problem),
        options_(options),
        chosen_(problem.ids.size(), kOpen),
        is_required_(problem.ids.size()),
        best_(problem.ids.size(), kOpen),
        seen_(problem.ids.size(), 0),
        depths_(problem.ids.size(), 0) {}

  auto run() -> DagExtraction {
    DagExtraction result;
    start_from_greedy();
    for (const uint32_t root : problem_.roots) {
      require(root);
    }
    result.lower_bound = bound_ + depth_cost();
    search();
    result.is_optimal = !is_stopped_;
    result.cost = best_cost_;
    result.n_steps = n_steps_;
    if (result.is_optimal) {
      result.lower_bound = best_cost_;
    }
    return result;
  }

  [[nodiscard]] auto best() const -> const std::vector<uint32_t>& { return best_; }

 private:
  struct Mark {
    size_t n_required = 0;
    double bound = 0;
  };

  /// The greedy choice, each class once, is a first solution.
  void start_from_greedy() {
    std::vector<uint32_t> stack(problem_.roots.begin(), problem_.roots.end());
    best_cost_ = 0;
    while (!stack.empty()) {
      const uint32_t c = stack.back();
      stack.pop_back();
      if (best_[c] != kOpen) {
        continue;
      }
      best_[c] = problem_.greedy[c];
      const DagOption& option = problem_.options[c][best_[c]];
      best_cost_ += option.cost;
      stack.insert(stack.end(), option.children.begin(), option.children.end());
    }
    chosen_.swap(best_);
    best_cost_ += depth_cost();
    chosen_.swap(best_);
  }

  /// What the depth of all that is chosen costs at least.
  auto depth_cost() -> double {
    if (options_.depth.price == 0) {
      return 0;
    }
    ++seen_stamp_;
    uint32_t depth = 0;
    for (const uint32_t root : problem_.roots) {
      depth = std::max(depth, depth_of(root));
    }
    return options_.depth.price * depth;
  }

  auto depth_of(uint32_t c) -> uint32_t {
    if (chosen_[c] == kOpen) {
      return problem_.least_depth[c];
    }
    if (seen_[c] != seen_stamp_) {
      seen_[c] = seen_stamp_;
      const DagOption& option = problem_.options[c][chosen_[c]];
      uint32_t depth = 0;
      for (const uint32_t child : option.children) {
        depth = std::max(depth, depth_of(child));
      }
      depths_[c] = depth + option.levels;
    }
    return depths_[c];
  }

  /// Says that `c` is part of the solution, and with it all that it cannot do without.
  void require(uint32_t c) {
    for (const uint32_t need : problem_.needs[c]) {
      if (!is_required_[need]) {
        is_required_[need] = true;
        required_.push_back(need);
        bound_ += problem_.least_cost[need];
      }
    }
  }

  void search() {
    if (++n_steps_ > options_.max_steps ||
        (n_steps_ % 1024 == 0 && options_.is_cancelled && options_.is_cancelled())) {
      is_stopped_ = true;
      return;
    }
    const double depth = depth_cost();
    if (bound_ + depth >= best_cost_ - 1e-9) {
      return;
    }
    const uint32_t c = next_class();
    if (c == kOpen) {
      best_ = chosen_;
      best_cost_ = bound_ + depth;
      return;
    }
    const std::vector<DagOption>& options = problem_.options[c];
    std::vector<std::pair<double, uint32_t>> order;
    for (uint32_t i = 0; i < options.size(); ++i) {
      if (!closes_cycle(c, options[i])) {
        order.emplace_back(estimate(c, options[i]), i);
      }
    }
    std::sort(order.begin(), order.end());
    for (const auto& [estimated, i] : order) {
      if (estimated + depth >= best_cost_ - 1e-9 || is_stopped_) {
        break;
      }
      const Mark mark = decide(c, i);
      search();
      undo(c, mark);
    }
  }

  /// The waiting class with the fewest options: what is forced comes first.
  auto next_class() const -> uint32_t {
    uint32_t best = kOpen;
    size_t fewest = std::numeric_limits<size_t>::max();
    for (const uint32_t c : required_) {
      if (chosen_[c] == kOpen && problem_.options[c].size() < fewest) {
        best = c;
        fewest = problem_.options[c].size();
      }
    }
    return best;
  }

  /// The bound after taking this option.
  auto estimate(uint32_t c, const DagOption& option) -> double {
    double bound = bound_ + option.cost - problem_.least_cost[c];
    ++seen_stamp_;
    for (const uint32_t child : option.children) {
      for (const uint32_t need : problem_.needs[child]) {
        if (!is_required_[need] && seen_[need] != seen_stamp_) {
          seen_[need] = seen_stamp_;
          bound += problem_.least_cost[need];
        }
      }
    }
    return bound;
  }

  /// Does a child of the option need `c` through earlier decisions?
  auto closes_cycle(uint32_t c, const DagOption& option) -> bool {
    ++seen_stamp_;
    stack_.assign(option.children.begin(), option.children.end());
    while (!stack_.empty()) {
      const uint32_t at = stack_.back();
      stack_.pop_back();
      if (at == c) {
        return true;
      }
      if (seen_[at] == seen_stamp_ || chosen_[at] == kOpen) {
        continue;
      }
      seen_[at] = seen_stamp_;
      const auto& children = problem_.options[at][chosen_[at]].children;
      stack_.insert(stack_.end(), children.begin(), children.end());
    }
    return false;
  }

  auto decide(uint32_t c, uint32_t option_index) -> Mark {
    const Mark mark{required_.size(), bound_};
    const DagOption& option = problem_.options[c][option_index];
    chosen_[c] = option_index;
    bound_ += option.cost - problem_.least_cost[c];
    for (const uint32_t child : option.children) {
      require(child);
    }
    return mark;
  }

  void undo(uint32_t c, const Mark& mark) {
    chosen_[c] = kOpen;
    while (required_.size() > mark.n_required) {
      is_required_[required_.back()] = false;
      required_.pop_back();
    }
    bound_ = mark.bound;
  }

  const DagProblem& problem_;
  const DagOptions& options_;
  std::vector<uint32_t> chosen_;  // option by class
  std::vector<bool> is_required_;
  std::vector<uint32_t> required_;
  double bound_ = 0;
  std::vector<uint32_t> best_;
  double best_cost_ = 0;
  size_t n_steps_ = 0;
  bool is_stopped_ = false;
  std::vector<uint64_t> seen_;
  std::vector<uint32_t> depths_;  // of classes seen
  uint64_t seen_stamp_ = 0;
  std::vector<uint32_t> stack_;
};

}  // namespace

auto extract_dag(const EGraph& graph, std::span<const ClassId> roots, const NodeCost& cost,
                 const DagOptions& options) -> std::optional<DagExtraction> {
  TACET_CHECK(graph.is_clean(), "extraction needs a rebuilt graph");
  const std::optional<DagProblem> problem = make_dag_problem(graph, roots, cost, options.depth);
  if (!problem) {
    return std::nullopt;
  }
  Search search(*problem, options);
  DagExtraction result = search.run();
  result.choice.node_of.resize(graph.n_ids());
  for (size_t c = 0; c < problem->ids.size(); ++c) {
    if (search.best()[c] != kOpen) {
      result.choice.node_of[problem->ids[c].index] = problem->options[c][search.best()[c]].node;
    }
  }
  return result;
}

}  // namespace tacet::egraph
