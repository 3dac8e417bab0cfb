#include "compiler/he/relinearise/plan.h"

#include <algorithm>

namespace tacet::relinearise {
namespace {

/// Finds degrees by going through the graph until they do not grow any more, which takes several
/// rounds only where loops hand values on.
class DegreeFinder {
 public:
  DegreeFinder(const Graph& graph, const Plan& plan, const Rules& rules)
      : graph_(graph), plan_(plan), rules_(rules), computed_(graph.values.size(), 1) {}

  auto run() -> std::optional<Degrees> {
    for (bool has_grown = true; has_grown;) {
      has_grown = false;
      for (uint32_t i = 0; i < computed_.size(); ++i) {
        const uint32_t degree = degree_of(ValueId{i});
        if (degree > rules_.max_degree) {
          return std::nullopt;
        }
        has_grown |= degree > computed_[i];
        computed_[i] = std::max(computed_[i], degree);
      }
    }
    return keeps_rules() ? std::optional(Degrees{.computed = computed_, .kept = kept()})
                         : std::nullopt;
  }

 private:
  auto taken(ValueId user, size_t operand) const -> uint32_t {
    const ValueId id = graph_.values[user].operands[operand];
    const bool is_linear = plan_.is_relinearised[id.index] &&
                           (plan_.takes_linear.empty() || plan_.takes_linear[user.index][operand]);
    return is_linear ? 1 : computed_[id.index];
  }

  auto degree_of(ValueId id) const -> uint32_t {
    const Value& value = graph_.values[id];
    switch (value.kind) {
      case ValueKind::Fresh:
        return 1;
      case ValueKind::Product:
        return taken(id, 0) + taken(id, 1);
      case ValueKind::Sum: {
        uint32_t most = 1;
        for (size_t i = 0; i < value.operands.size(); ++i) {
          most = std::max(most, taken(id, i));
        }
        return most;
      }
    }
    return 1;
  }

  auto keeps_rules() const -> bool {
    for (uint32_t i = 0; i < computed_.size(); ++i) {
      const Value& value = graph_.values[ValueId{i}];
      if (value.is_used_linearly && !plan_.is_relinearised[i] && computed_[i] > 1) {
        return false;
      }
      if (value.kind == ValueKind::Sum && rules_.agreement == Agreement::Strict) {
        for (size_t k = 0; k < value.operands.size(); ++k) {
          if (taken(ValueId{i}, k) != computed_[i]) {
            return false;
          }
        }
      }
    }
    return true;
  }

  auto kept() const -> std::vector<uint32_t> {
    std::vector<uint32_t> result(computed_.size(), 1);
    for (uint32_t i = 0; i < result.size(); ++i) {
      if (!plan_.is_relinearised[i]) {
        result[i] = computed_[i];
      }
    }
    for (uint32_t i = 0; i < result.size(); ++i) {
      const std::vector<ValueId>& operands = graph_.values[ValueId{i}].operands;
      for (size_t k = 0; k < operands.size(); ++k) {
        uint32_t& most = result[operands[k].index];
        most = std::max(most, taken(ValueId{i}, k));
      }
    }
    return result;
  }

  const Graph& graph_;
  const Plan& plan_;
  const Rules& rules_;
  std::vector<uint32_t> computed_;
};

/// What is relinearised because something can wait no longer.
class LazyPlacer {
 public:
  LazyPlacer(const Graph& graph, const Rules& rules, const std::vector<bool>& first)
      : graph_(graph), rules_(rules), degree_(graph.values.size(), 1) {
    for (uint32_t i = 0; i < graph.values.size(); ++i) {
      plan_.is_relinearised.push_back(graph.values[ValueId{i}].is_used_linearly ||
                                      (!first.empty() && first[i]));
    }
  }

  auto run() -> Plan {
    do {
      has_changed_ = false;
      for (uint32_t i = 0; i < degree_.size(); ++i) {
        visit(ValueId{i});
      }
    } while (has_changed_);
    const std::optional<Degrees> degrees = degrees_of(graph_, plan_, rules_);
    return without_needless(plan_, *degrees);
  }

 private:
  auto kept(ValueId id) const -> uint32_t {
    return plan_.is_relinearised[id.index] ? 1 : degree_[id.index];
  }

  void relinearise(ValueId id) {
    has_changed_ |= !plan_.is_relinearised[id.index];
    plan_.is_relinearised[id.index] = true;
  }

  void set_degree(ValueId id, uint32_t degree) {
    has_changed_ |= degree_[id.index] != degree && !plan_.is_relinearised[id.index];
    degree_[id.index] = degree;
  }

  void visit(ValueId id) {
    const std::vector<ValueId>& operands = graph_.values[id].operands;
    switch (graph_.values[id].kind) {
      case ValueKind::Fresh:
        return;
      case ValueKind::Product: {
        const ValueId a = operands[0];
        const ValueId b = operands[1];
        while (kept(a) + kept(b) > rules_.max_degree) {
          relinearise(kept(b) > kept(a) ? b : a);
        }
        set_degree(id, kept(a) + kept(b));
        return;
      }
      case ValueKind::Sum: {
        uint32_t most = 1;
        uint32_t least = rules_.max_degree;
        for (const ValueId operand : operands) {
          most = std::max(most, kept(operand));
          least = std::min(least, kept(operand));
        }
        // Within a loop's first round nothing is known yet of what it hands on.
        if (rules_.agreement == Agreement::Strict && most != least) {
          for (const ValueId operand : operands) {
            if (kept(operand) > 1) {
              relinearise(operand);
            }
          }
          most = 1;
        }
        set_degree(id, most);
        return;
      }
    }
  }

  const Graph& graph_;
  const Rules& rules_;
  Plan plan_;
  std::vector<uint32_t> degree_;
  bool has_changed_ = false;
};

}  // namespace

auto degrees_of(const Graph& graph, const Plan& plan, const Rules& rules)
    -> std::optional<Degrees> {
  return DegreeFinder(graph, plan, rules).run();
}

auto cost_of(const Graph& graph, const Plan& plan, const Degrees& degrees) -> double {
  double cost = 0;
  for (uint32_t i = 0; i < graph.values.size(); ++i) {
    const Costs& costs = graph.values[ValueId{i}].costs;
    const double above = degrees.computed[i] - 1;
    cost += costs.computing * above + costs.keeping * (degrees.kept[i] - 1);
    if (plan.is_relinearised[i] && above > 0) {
      cost += costs.relinearisation + costs.key_switch * above;
    }
  }
  return cost;
}

auto without_needless(const Plan& plan, const Degrees& degrees) -> Plan {
  Plan result = plan;
  for (size_t i = 0; i < result.is_relinearised.size(); ++i) {
    result.is_relinearised[i] = result.is_relinearised[i] && degrees.computed[i] > 1;
  }
  return result;
}

auto place_eagerly(const Graph& graph) -> Plan {
  Plan plan;
  for (const Value& value : graph.values.values()) {
    plan.is_relinearised.push_back(value.kind == ValueKind::Product);
  }
  return plan;
}

auto place_lazily(const Graph& graph, const Rules& rules, const std::vector<bool>& first) -> Plan {
  return LazyPlacer(graph, rules, first).run();
}

}  // namespace tacet::relinearise
