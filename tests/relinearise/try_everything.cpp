#include "tests/relinearise/try_everything.h"

#include <algorithm>
#include <limits>

namespace tacet::relinearise {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// One value after the other, with every choice of computing and keeping it.
class Trial {
 public:
  Trial(const Graph& graph, const Rules& rules)
      : graph_(graph),
        rules_(rules),
        degree_(graph.values.size(), 1),
        is_relinearised_(graph.values.size()),
        raw_uses_(graph.values.size()) {}

  auto cheapest(uint32_t at) -> double {
    if (at == graph_.values.size()) {
      return keeping();
    }
    double best = kNever;
    const size_t n = graph_.values[ValueId{at}].operands.size();
    for (uint32_t choice = 0; choice < (1U << n); ++choice) {
      best = std::min(best, with_operands(at, choice));
    }
    return best;
  }

 private:
  /// Bit k of `choice`: operand k is taken as it was computed.
  auto with_operands(uint32_t at, uint32_t choice) -> double {
    const Value& value = graph_.values[ValueId{at}];
    uint32_t sum = 0;
    uint32_t most = 1;
    uint32_t least = rules_.max_degree + 1;
    for (size_t k = 0; k < value.operands.size(); ++k) {
      const uint32_t id = value.operands[k].index;
      const bool is_raw = (choice >> k & 1) != 0;
      const bool may_choose = rules_.uses == Uses::Apart && is_relinearised_[id];
      if (!may_choose && is_raw == is_relinearised_[id]) {
        return kNever;
      }
      const uint32_t degree = is_raw ? degree_[id] : 1;
      sum += degree;
      most = std::max(most, degree);
      least = std::min(least, degree);
    }
    const bool is_sum = value.kind == ValueKind::Sum;
    degree_[at] = value.kind == ValueKind::Product ? sum : is_sum ? most : 1;
    if (degree_[at] > rules_.max_degree ||
        (is_sum && rules_.agreement == Agreement::Strict && least != most)) {
      return kNever;
    }
    count_uses(at, choice, 1);
    double best = kNever;
    for (const bool is_relinearised : {false, true}) {
      if (is_relinearised || !value.is_used_linearly || degree_[at] == 1) {
        is_relinearised_[at] = is_relinearised;
        const double above = degree_[at] - 1;
        const double cost = value.costs.computing * above +
                            (is_relinearised && above > 0
                                 ? value.costs.relinearisation + value.costs.key_switch * above
                                 : 0);
        const uint32_t degree = degree_[at];
        best = std::min(best, cost + cheapest(at + 1));
        degree_[at] = degree;
      }
    }
    count_uses(at, choice, -1);
    return best;
  }

  void count_uses(uint32_t at, uint32_t choice, int change) {
    const std::vector<ValueId>& operands = graph_.values[ValueId{at}].operands;
    for (size_t k = 0; k < operands.size(); ++k) {
      raw_uses_[operands[k].index] += (choice >> k & 1) != 0 ? change : 0;
    }
  }

  auto keeping() const -> double {
    double cost = 0;
    for (uint32_t i = 0; i < graph_.values.size(); ++i) {
      const bool is_kept = raw_uses_[i] > 0 || !is_relinearised_[i];
      cost += is_kept ? graph_.values[ValueId{i}].costs.keeping * (degree_[i] - 1) : 0;
    }
    return cost;
  }

  const Graph& graph_;
  const Rules& rules_;
  std::vector<uint32_t> degree_;
  std::vector<bool> is_relinearised_;
  std::vector<int> raw_uses_;
};

}  // namespace

auto cheapest_of_all(const Graph& graph, const Rules& rules) -> double {
  return Trial(graph, rules).cheapest(0);
}

}  // namespace tacet::relinearise
