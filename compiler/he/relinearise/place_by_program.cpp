#include "compiler/he/relinearise/place_by_program.h"

#include <algorithm>

#include "compiler/he/relinearise/integer_program.h"
#include "compiler/he/relinearise/place_by_cut.h"

namespace tacet::relinearise {
namespace {

/// A degree in unary: whether it is k or more, for k from two on.
using Unary = std::vector<Bit>;

class Formulation {
 public:
  /// `start` is a plan that keeps the rules, and has these degrees.
  Formulation(const Graph& graph, const Rules& rules, const Plan& start, const Degrees& degrees)
      : graph_(graph),
        rules_(rules),
        start_(start),
        degrees_(degrees),
        is_apart_(rules.uses == Uses::Apart && rules.agreement == Agreement::Strict) {
    find_most();
    for (uint32_t i = 0; i < graph.values.size(); ++i) {
      add_value(ValueId{i});
    }
    for (uint32_t i = 0; i < graph.values.size(); ++i) {
      add_operation(ValueId{i});
    }
  }

  auto solve(const ProgramLimits& limits) const -> IntegerProgram::Solution {
    return program_.solve({limits.seconds, limits.max_nodes, limits.gap},
                          [this](const std::vector<double>& values) { return rounded(values); });
  }

  /// Relinearises what fractions say so of, for several thresholds, and what then cannot wait.
  auto rounded(const std::vector<double>& values) const -> std::vector<double> {
    const auto part = [&](Bit bit) {
      return bit.column == Bit::kFixed ? bit.number : values[static_cast<size_t>(bit.column)];
    };
    Plan best = start_;
    Degrees degrees = degrees_;
    for (const double threshold : {0.1, 0.3, 0.45, 0.55, 0.7, 0.9}) {
      std::vector<bool> first;
      for (uint32_t i = 0; i < graph_.values.size(); ++i) {
        first.push_back((is_apart_ ? part(has_linear_[i])
                                   : part(computed_[i][0]) - part(kept_[i][0])) >= threshold);
      }
      const Plan plan = place_lazily(graph_, rules_, first);
      const std::optional<Degrees> found = degrees_of(graph_, plan, rules_);
      if (found && cost_of(graph_, plan, *found) < cost_of(graph_, best, degrees)) {
        best = plan;
        degrees = *found;
      }
    }
    return Formulation(graph_, rules_, best, degrees).program_.starts();
  }

  auto plan_of(const std::vector<double>& values) const -> Plan {
    const auto is_set = [&](Bit bit) {
      return (bit.column == Bit::kFixed ? bit.number : values[static_cast<size_t>(bit.column)]) >
             0.5;
    };
    Plan plan;
    for (uint32_t i = 0; i < graph_.values.size(); ++i) {
      plan.is_relinearised.push_back(is_apart_ ? is_set(has_linear_[i])
                                               : is_set(computed_[i][0]) && !is_set(kept_[i][0]));
    }
    if (is_apart_) {
      for (uint32_t i = 0; i < graph_.values.size(); ++i) {
        const std::vector<ValueId>& operands = graph_.values[ValueId{i}].operands;
        std::vector<bool> takes;
        for (size_t k = 0; k < operands.size(); ++k) {
          takes.push_back(is_set(computed_[operands[k].index][0]) && !is_set(taken_[i][k][0]));
        }
        plan.takes_linear.push_back(std::move(takes));
      }
    }
    return plan;
  }

 private:
  /// How large degrees become if nothing is relinearised.
  void find_most() {
    most_.assign(graph_.values.size(), 1);
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (uint32_t i = 0; i < most_.size(); ++i) {
        const Value& value = graph_.values[ValueId{i}];
        uint32_t degree = value.kind == ValueKind::Product ? 0 : 1;
        for (const ValueId operand : value.operands) {
          degree = value.kind == ValueKind::Product ? degree + most_[operand.index]
                                                    : std::max(degree, most_[operand.index]);
        }
        degree = std::min(degree, rules_.max_degree);
        has_grown |= degree > most_[i];
        most_[i] = std::max(most_[i], degree);
      }
    }
  }

  /// A degree that begins with `start` and is no more than `most`.
  auto unary(uint32_t start, uint32_t most) -> Unary {
    Unary degree;
    for (uint32_t k = 2; k <= rules_.max_degree; ++k) {
      degree.push_back(k <= most ? program_.add_bit(start >= k ? 1 : 0) : Bit::fixed(0));
    }
    return degree;
  }

  void add_value(ValueId id) {
    const Value& value = graph_.values[id];
    const uint32_t i = id.index;
    Unary computed = unary(degrees_.computed[i], most_[i]);
    if (value.kind == ValueKind::Product) {
      computed[0] = Bit::fixed(1);
    }
    for (size_t k = 0; k < computed.size(); ++k) {
      if (k > 0) {
        program_.at_least(0, {{1, computed[k - 1]}, {-1, computed[k]}});
      }
      program_.add_cost(value.costs.computing, computed[k]);
    }
    computed_.push_back(computed);
    if (is_apart_) {
      add_copies(id);
      return;
    }
    const Unary kept = unary(start_.is_relinearised[i] ? 1 : degrees_.computed[i],
                             value.is_used_linearly ? 1 : most_[i]);
    all_or_none(computed, kept);
    program_.add_cost(value.costs.relinearisation, computed[0]);
    program_.add_cost(-value.costs.relinearisation, kept[0]);
    for (size_t k = 0; k < computed.size(); ++k) {
      program_.add_cost(value.costs.key_switch, computed[k]);
      program_.add_cost(value.costs.keeping - value.costs.key_switch, kept[k]);
    }
    kept_.push_back(kept);
  }

  /// `taken` is all of `degree`, or one.
  void all_or_none(const Unary& degree, const Unary& taken) {
    for (size_t k = 0; k < degree.size(); ++k) {
      program_.at_least(0, {{1, degree[k]}, {-1, taken[k]}});
      if (k > 0) {
        program_.at_least(0, {{1, taken[k - 1]}, {-1, taken[k]}});
        program_.at_least(0, {{1, taken[k]}, {-1, degree[k]}, {1, degree[0]}, {-1, taken[0]}});
      }
    }
  }

  /// Of a value that exists as it was computed and relinearised.
  void add_copies(ValueId id) {
    const Value& value = graph_.values[id];
    const uint32_t i = id.index;
    const Unary& computed = computed_[i];
    const bool is_linear = start_.is_relinearised[i] && degrees_.computed[i] > 1;
    const Bit linear = program_.add_bit(is_linear ? 1 : 0);
    has_linear_.push_back(linear);
    program_.add_cost(value.costs.relinearisation, linear);
    if (value.is_used_linearly) {
      program_.at_least(0, {{1, linear}, {-1, computed[0]}});
    }
    const Unary kept = unary(degrees_.kept[i], most_[i]);
    for (size_t k = 0; k < computed.size(); ++k) {
      const Bit switched = program_.add_bit(is_linear && degrees_.computed[i] >= k + 2 ? 1 : 0);
      program_.at_least(-1, {{1, switched}, {-1, computed[k]}, {-1, linear}});
      program_.add_cost(value.costs.key_switch, switched);
      program_.at_least(0, {{1, kept[k]}, {-1, computed[k]}, {1, linear}});
      program_.add_cost(value.costs.keeping, kept[k]);
    }
    kept_.push_back(kept);
  }

  /// The degree in which an operand is taken.
  auto taken(ValueId user, size_t operand) -> Unary {
    const ValueId id = graph_.values[user].operands[operand];
    const uint32_t i = id.index;
    if (!is_apart_) {
      return kept_[i];
    }
    const bool is_linear = start_.is_relinearised[i] && (start_.takes_linear.empty() ||
                                                         start_.takes_linear[user.index][operand]);
    const Unary degree = graph_.values[user].kind == ValueKind::Sum
                             ? computed_[user.index]
                             : unary(is_linear ? 1 : degrees_.computed[i], most_[i]);
    all_or_none(computed_[i], degree);
    program_.at_least(0, {{1, has_linear_[i]}, {-1, computed_[i][0]}, {1, degree[0]}});
    for (size_t k = 0; k < degree.size(); ++k) {
      program_.at_least(0, {{1, kept_[i][k]}, {-1, degree[k]}});
    }
    return degree;
  }

  void add_operation(ValueId id) {
    const Value& value = graph_.values[id];
    std::vector<Unary> operands;
    for (size_t k = 0; k < value.operands.size(); ++k) {
      operands.push_back(taken(id, k));
    }
    if (value.kind == ValueKind::Product) {
      add_product(computed_[id.index], operands[0], operands[1]);
    } else if (value.kind == ValueKind::Sum && !is_apart_) {
      for (const Unary& operand : operands) {
        for (size_t k = 0; k < operand.size(); ++k) {
          const std::vector<BitTerm> terms{{1, computed_[id.index][k]}, {-1, operand[k]}};
          if (rules_.agreement == Agreement::Strict) {
            program_.equals(0, terms);
          } else {
            program_.at_least(0, terms);
          }
        }
      }
    }
    taken_.push_back(std::move(operands));
  }

  void add_product(const Unary& product, const Unary& a, const Unary& b) {
    std::vector<BitTerm> sum;
    for (size_t k = 0; k < product.size(); ++k) {
      sum.insert(sum.end(), {{1, product[k]}, {-1, a[k]}, {-1, b[k]}});
    }
    program_.equals(1, std::move(sum));
    const auto bit = [](const Unary& degree, size_t k) {  // whether it is k or more
      return k < 2 ? Bit::fixed(1) : k - 2 < degree.size() ? degree[k - 2] : Bit::fixed(0);
    };
    for (size_t i = 1; i <= rules_.max_degree; ++i) {
      for (size_t j = i == 1 ? 2 : 1; j <= rules_.max_degree; ++j) {
        program_.at_least(-1, {{1, bit(product, i + j)}, {-1, bit(a, i)}, {-1, bit(b, j)}});
      }
    }
  }

  const Graph& graph_;
  const Rules& rules_;
  const Plan& start_;
  const Degrees& degrees_;
  bool is_apart_;
  std::vector<uint32_t> most_;
  IntegerProgram program_;
  std::vector<Unary> computed_;
  std::vector<Unary> kept_;      ///< of those that uses take, the largest
  std::vector<Bit> has_linear_;  ///< if uses are apart
  std::vector<std::vector<Unary>> taken_;
};

}  // namespace

auto place_by_program(const Graph& graph, const Rules& rules, const ProgramLimits& limits)
    -> BoundedPlan {
  BoundedPlan best{.plan = place_lazily(graph, rules)};
  Degrees degrees = *degrees_of(graph, best.plan, rules);
  best.cost = cost_of(graph, best.plan, degrees);
  const auto try_plan = [&](const Plan& plan) {
    const std::optional<Degrees> found = degrees_of(graph, plan, rules);
    const double cost = found ? cost_of(graph, plan, *found) : best.cost;
    if (cost < best.cost) {
      best.plan = without_needless(plan, *found);
      best.cost = cost;
      degrees = *found;
    }
  };
  if (rules.max_degree >= 2) {
    try_plan(place_by_cut(graph, rules));
  }
  const Formulation formulation(graph, rules, best.plan, degrees);
  const IntegerProgram::Solution solution = formulation.solve(limits);
  try_plan(formulation.plan_of(solution.values));
  best.is_optimal = solution.is_optimal;
  best.bound = solution.is_optimal ? best.cost : std::min(solution.bound, best.cost);
  return best;
}

}  // namespace tacet::relinearise
