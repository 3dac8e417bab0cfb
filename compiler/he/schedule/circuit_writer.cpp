#include "compiler/he/schedule/circuit_writer.h"

#include <algorithm>

#include "compiler/he/circuit/formula.h"

namespace tacet::schedule {

using circuit::Family;
using circuit::LoopFormula;
using circuit::LoopId;
using circuit::Node;
using circuit::NodeId;
using circuit::NodeKind;

auto CircuitWriter::number(NodeId node) const -> std::optional<int64_t> {
  const Node& n = circuit().nodes[node];
  return n.kind == NodeKind::Constant ? std::optional(n.number) : std::nullopt;
}

auto CircuitWriter::shared_loop(std::string_view name, size_t number, int64_t extent)
    -> circuit::LoopId {
  const auto [at, is_new] = shared_loops_.try_emplace({name, number, extent});
  if (is_new) {
    at->second = loop({std::string(name), extent});
  }
  return at->second;
}

auto CircuitWriter::is_native(NodeId id) -> bool {
  if (const auto known = natives_.find(id.index); known != natives_.end()) {
    return known->second;
  }
  const Node node = circuit().nodes[id];
  const bool is_native = [&] {
    switch (node.kind) {
      case NodeKind::Constant:
        return true;
      case NodeKind::Input:
        return !circuit().families[node.family].is_cipher;
      case NodeKind::Result:
        return this->is_native(circuit().statements[node.statement].root);
      case NodeKind::Add:
      case NodeKind::Subtract:
      case NodeKind::Multiply:
        return this->is_native(node.a) && this->is_native(node.b);
      case NodeKind::Rotate:
      case NodeKind::SwapRows:
      case NodeKind::Sum:
      case NodeKind::Product:
        return this->is_native(node.a);
    }
    return false;
  }();
  natives_.emplace(id.index, is_native);
  return is_native;
}

static auto normal(std::vector<LoopFormula> formulas) -> std::vector<LoopFormula> {
  for (LoopFormula& formula : formulas) {
    formula = circuit::normal(std::move(formula));
  }
  return formulas;
}

/// Names are for people: families that differ in nothing else are one.
static auto same_but_for_names(const Family& a, const Family& b) -> bool {
  auto same = [](const std::vector<engine::HeDimension>& x,
                 const std::vector<engine::HeDimension>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const auto& p, const auto& q) { return p.extent == q.extent; });
  };
  if (a.is_cipher != b.is_cipher || a.gathers.size() != b.gathers.size() ||
      !same(a.dimensions, b.dimensions)) {
    return false;
  }
  for (size_t i = 0; i < a.gathers.size(); ++i) {
    const engine::HeGather& x = a.gathers[i];
    const engine::HeGather& y = b.gathers[i];
    if (x.array != y.array || x.number != y.number || x.indices != y.indices ||
        x.row.empty() != y.row.empty() || !same(x.columns, y.columns) || x.guards != y.guards ||
        x.digits != y.digits || x.outside != y.outside) {
      return false;
    }
  }
  return true;
}

auto CircuitWriter::input(Family family, std::vector<LoopFormula> indices) -> NodeId {
  std::span<const Family> families = circuit().families.values();
  auto same = std::find_if(families.begin(), families.end(),
                           [&](const Family& other) { return same_but_for_names(other, family); });
  circuit::FamilyId id{static_cast<uint32_t>(same - families.begin())};
  if (same == families.end()) {
    id = builder_.circuit().families.add(std::move(family));
  }
  return builder_.input(id, normal(std::move(indices)));
}

auto CircuitWriter::result(uint32_t statement, std::vector<LoopFormula> indices) -> NodeId {
  return builder_.result(statement, normal(std::move(indices)));
}

auto CircuitWriter::operation(NodeKind kind, NodeId a, NodeId b) -> NodeId {
  if (kind == NodeKind::Subtract) {
    return builder_.subtract(a, b);
  }
  return kind == NodeKind::Multiply ? builder_.multiply(a, b) : builder_.add(a, b);
}

auto CircuitWriter::rotate(NodeId a, LoopFormula steps) -> NodeId {
  return builder_.rotate(a, circuit::normal(std::move(steps)));
}

auto CircuitWriter::rotate(NodeId a, int64_t steps) -> NodeId {
  return builder_.rotate(a, circuit::constant_formula(steps));
}

auto CircuitWriter::depends_on(NodeId id, LoopId loop) -> bool {
  uint64_t key = uint64_t{id.index} << 32 | loop.index;
  if (auto it = dependences_.find(key); it != dependences_.end()) {
    return it->second;
  }
  const Node& node = circuit().nodes[id];
  bool binds = (node.kind == NodeKind::Sum || node.kind == NodeKind::Product) && node.loop == loop;
  bool result = !binds && ((node.a.has_value() && depends_on(node.a, loop)) ||
                           (node.b.has_value() && depends_on(node.b, loop)));
  for (const LoopFormula& formula : node.formulas) {
    result = result || mentions(formula, loop);
  }
  dependences_.emplace(key, result);
  return result;
}

auto CircuitWriter::over_loop(NodeKind kind, LoopId loop, NodeId a) -> NodeId {
  if (!depends_on(a, loop)) {
    return repeat(kind, a, circuit().loops[loop].extent);
  }
  return kind == NodeKind::Sum ? builder_.sum(loop, a) : builder_.product(loop, a);
}

auto CircuitWriter::repeat(NodeKind kind, NodeId a, int64_t count) -> NodeId {
  if (kind == NodeKind::Sum) {
    return builder_.multiply(a, constant(count));
  }
  std::optional<NodeId> result;
  for (NodeId power = a; count > 0; count /= 2) {
    if (count % 2 == 1) {
      result = result ? builder_.multiply(*result, power) : power;
    }
    if (count > 1) {
      power = builder_.multiply(power, power);
    }
  }
  return *result;
}

}  // namespace tacet::schedule
