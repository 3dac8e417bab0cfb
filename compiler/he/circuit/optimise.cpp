#include "compiler/he/circuit/optimise.h"

#include <algorithm>

#include "compiler/he/circuit/forms.h"
#include "compiler/he/circuit/share.h"

namespace tacet::circuit {
namespace {

using egraph::Choice;

/// What a term costs as a tree, by its own operations and by its depth.
struct TreeCost {
  double operations = 0;
  uint32_t depth = 0;
  double level = 0;  ///< the price of a level of depth

  friend auto operator<(const TreeCost& a, const TreeCost& b) -> bool {
    return a.operations + a.depth * a.level < b.operations + b.depth * b.level;
  }
};

/// Whether a rule makes larger terms that it can be applied to again.
auto expands(std::string_view name) -> bool {
  static constexpr std::string_view kExpanding[] = {
      "rot/split",       "rot/distribute+",        "rot/distribute-",
      "rot/distribute*", "sum/rotation-in",        "product/rotation-in",
      "sum/factor-in",   "ring/distribute",        "ring/distribute-difference",
      "ring/subtract",   "ring/subtract-sum-back", "ring/add-difference-back"};
  return std::find(std::begin(kExpanding), std::end(kExpanding), name) != std::end(kExpanding);
}

/// Whether a rule only puts operands in another order, which sums of many have very many of.
auto reorders(std::string_view name) -> bool {
  return name.rfind("ring/commute-sum", 0) == 0 || name.rfind("ring/associate-sum", 0) == 0 ||
         name.rfind("ring/add-difference", 0) == 0 || name.rfind("ring/subtract", 0) == 0;
}

/// Looks for cheaper forms, from several points of view, and keeps the cheapest.
class Search {
 public:
  Search(const Circuit& circuit, const OptimiseOptions& options)
      : options_(options), best_(circuit), least_(cost_of(counts_of(circuit), options.weights)) {}

  auto run() -> Circuit {
    for (size_t pass = 0; pass < options_.max_passes && !is_cancelled(); ++pass) {
      const double before = least_;
      try_rules([](std::string_view name) { return !expands(name) && !reorders(name); });
      try_rules([](std::string_view name) { return !expands(name); });
      try_rules({});
      if (least_ == before) {
        break;
      }
    }
    return std::move(best_);
  }

 private:
  /// Of equal costs, fewer nodes are better.
  static constexpr double kNode = 1e-6;

  [[nodiscard]] auto is_cancelled() const -> bool {
    return options_.is_cancelled && options_.is_cancelled();
  }

  void try_rules(const RuleFilter& rules) {
    const Circuit circuit = best_;
    Forms forms(circuit);
    egraph::SaturationOptions saturation{.max_nodes = options_.max_nodes,
                                         .max_iterations = options_.max_rounds,
                                         .is_cancelled = options_.is_cancelled};
    saturation.scheduler.match_limit = std::max<size_t>(options_.max_nodes / 4, 1);
    forms.grow(saturation, rules);
    Weights hoisted = options_.weights;
    hoisted.rotation = hoisted.hoisted_rotation;
    for (const Weights& weights : {options_.weights, hoisted}) {
      const egraph::NodeCost cost = [&](const egraph::ENode& node) {
        return kNode + forms.cost(node, weights);
      };
      offer(forms, extract_shared(forms.graph(), forms.roots(), cost, options_.max_steps));
      offer(forms, exact(forms, cost));
    }
    constexpr double kExpensive = 1e9;
    offer(forms, by_depth(forms, options_.weights.depth));
    offer(forms, by_depth(forms, kExpensive));
  }

  /// The cheapest sum of operations and depth, shared ones paid once.
  [[nodiscard]] auto exact(const Forms& forms, const egraph::NodeCost& cost) const
      -> std::optional<Choice> {
    const auto found = egraph::extract_dag(
        forms.graph(), forms.roots(), cost,
        {.depth = {.levels = [&](const egraph::ENode& node) { return forms.levels(node); },
                   .price = options_.weights.depth},
         .max_steps = options_.max_steps,
         .is_cancelled = options_.is_cancelled});
    return found ? std::optional(found->choice) : std::nullopt;
  }

  /// The cheapest trees, if a level of depth costs this.
  [[nodiscard]] auto by_depth(const Forms& forms, double level) const -> Choice {
    return egraph::extract_trees<TreeCost>(
               forms.graph(),
               [&](const egraph::ENode& node, std::span<const TreeCost> operands) {
                 TreeCost cost{.operations = kNode + forms.cost(node, options_.weights),
                               .depth = 0,
                               .level = level};
                 for (const TreeCost& operand : operands) {
                   cost.operations += operand.operations;
                   cost.depth = std::max(cost.depth, operand.depth);
                 }
                 cost.depth += forms.levels(node);
                 return cost;
               })
        .choice;
  }

  void offer(const Forms& forms, const std::optional<Choice>& choice) {
    std::optional<Circuit> circuit = choice ? forms.circuit_of(*choice) : std::nullopt;
    if (!circuit) {
      return;
    }
    const double cost = cost_of(counts_of(*circuit), options_.weights);
    if (cost < least_) {
      best_ = std::move(*circuit);
      least_ = cost;
    }
  }

  const OptimiseOptions& options_;
  Circuit best_;
  double least_;
};

}  // namespace

auto optimise(const Circuit& circuit, const OptimiseOptions& options) -> Circuit {
  return Search(circuit, options).run();
}

}  // namespace tacet::circuit
