#include "compiler/he/relinearise/place_by_cut.h"

#include "compiler/he/relinearise/minimum_cut.h"

namespace tacet::relinearise {
namespace {

constexpr double kInfinite = MinimumCut::kInfinite;

class Placer {
 public:
  Placer(const Graph& graph, const Rules& rules)
      : graph_(graph),
        is_strict_(rules.agreement == Agreement::Strict),
        is_apart_(is_strict_ && rules.uses == Uses::Apart),
        cut_(3 * graph.values.size() + 2) {}

  auto run() -> Plan {
    for (uint32_t i = 0; i < graph_.values.size(); ++i) {
      add(ValueId{i});
    }
    const std::vector<bool> is_two = cut_.source_side(source(), sink());
    Plan plan;
    for (uint32_t i = 0; i < graph_.values.size(); ++i) {
      plan.is_relinearised.push_back(is_two[before(ValueId{i})] && !is_two[behind(ValueId{i})]);
    }
    if (is_apart_) {
      for (uint32_t i = 0; i < graph_.values.size(); ++i) {
        const Value& value = graph_.values[ValueId{i}];
        const bool wants_one = value.kind == ValueKind::Product || !is_two[before(ValueId{i})];
        plan.takes_linear.emplace_back(value.operands.size(), wants_one);
      }
    }
    return plan;
  }

 private:
  /// As it is computed.
  static auto before(ValueId id) -> size_t { return 3 * size_t{id.index}; }
  /// As it is behind its relinearisation, if there is one.
  static auto behind(ValueId id) -> size_t { return before(id) + 1; }
  /// The larger one of those that are used.
  auto kept(ValueId id) const -> size_t { return is_apart_ ? before(id) + 2 : behind(id); }
  auto source() const -> size_t { return 3 * graph_.values.size(); }
  auto sink() const -> size_t { return source() + 1; }

  void is_at_most(size_t smaller, size_t larger) { cut_.add_edge(smaller, larger, kInfinite); }
  void is_one(size_t vertex) { cut_.add_edge(vertex, sink(), kInfinite); }

  void add(ValueId id) {
    const Value& value = graph_.values[id];
    cut_.add_edge(before(id), behind(id), value.costs.relinearisation + value.costs.key_switch);
    cut_.add_edge(before(id), sink(), value.costs.computing);
    cut_.add_edge(kept(id), sink(), value.costs.keeping);
    is_at_most(behind(id), before(id));
    if (is_apart_) {
      is_at_most(behind(id), kept(id));
    }
    if (value.is_used_linearly) {
      is_one(behind(id));
    }
    switch (value.kind) {
      case ValueKind::Fresh:
        is_one(before(id));
        break;
      case ValueKind::Product:
        for (const ValueId operand : value.operands) {
          is_one(behind(operand));
        }
        cut_.add_edge(source(), before(id), kInfinite);
        break;
      case ValueKind::Sum:
        for (const ValueId operand : value.operands) {
          is_at_most(behind(operand), before(id));
          if (is_strict_) {
            is_at_most(before(id), kept(operand));
            is_at_most(before(id), before(operand));
          }
        }
        break;
    }
  }

  const Graph& graph_;
  bool is_strict_;
  bool is_apart_;
  MinimumCut cut_;
};

}  // namespace

auto place_by_cut(const Graph& graph, const Rules& rules) -> Plan {
  return Placer(graph, rules).run();
}

}  // namespace tacet::relinearise
