#include "compiler/schedule/circuit_writer.h"

#include <algorithm>
#include <utility>

namespace tacet::schedule {

using circuit::Family;
using circuit::LoopFormula;
using circuit::LoopId;
using circuit::LoopTerm;
using circuit::Node;
using circuit::NodeId;
using circuit::NodeKind;

static auto hash_of(const Node& node) -> uint64_t {
  uint64_t hash =
      hash_combine(static_cast<uint64_t>(node.kind), static_cast<uint64_t>(node.number));
  for (uint32_t id :
       {node.family.index, node.statement, node.a.index, node.b.index, node.loop.index}) {
    hash = hash_combine(hash, id);
  }
  for (const LoopFormula& formula : node.formulas) {
    hash = hash_combine(hash, static_cast<uint64_t>(formula.constant));
    for (const LoopTerm& term : formula.terms) {
      hash = hash_combine(hash_combine(hash, term.loop.index), static_cast<uint64_t>(term.factor));
    }
  }
  return hash;
}

auto CircuitWriter::add(Node node) -> NodeId {
  uint64_t hash = hash_of(node);
  auto [begin, end] = nodes_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (circuit_.nodes[it->second] == node) {
      return it->second;
    }
  }
  NodeId id = circuit_.nodes.add(std::move(node));
  nodes_.emplace(hash, id);
  return id;
}

auto CircuitWriter::number(NodeId node) const -> std::optional<int64_t> {
  const Node& n = circuit_.nodes[node];
  return n.kind == NodeKind::Constant ? std::optional(n.number) : std::nullopt;
}

auto CircuitWriter::constant(int64_t number) -> NodeId {
  Node node;
  node.number = number;
  return add(std::move(node));
}

auto CircuitWriter::input(Family family, std::vector<LoopFormula> indices) -> NodeId {
  Node node;
  node.kind = NodeKind::Input;
  node.formulas = std::move(indices);
  std::span<const Family> families = circuit_.families.values();
  auto same = std::find_if(families.begin(), families.end(), [&](const Family& other) {
    return other.is_cipher == family.is_cipher && other.dimensions == family.dimensions &&
           other.gathers == family.gathers;
  });
  node.family = circuit::FamilyId{static_cast<uint32_t>(same - families.begin())};
  if (same == families.end()) {
    circuit_.families.add(std::move(family));
  }
  return add(std::move(node));
}

auto CircuitWriter::result(uint32_t statement, std::vector<LoopFormula> indices) -> NodeId {
  Node node;
  node.kind = NodeKind::Result;
  node.statement = statement;
  node.formulas = std::move(indices);
  return add(std::move(node));
}

/// The value of an operation of which an operand is a number, if that needs no operation.
static auto fold(NodeKind kind, std::optional<int64_t> a, std::optional<int64_t> b)
    -> std::optional<int64_t> {
  if (kind == NodeKind::Multiply && (a == 0 || b == 0)) {
    return 0;
  }
  int64_t result = 0;
  if (!a || !b) {
    return {};
  }
  bool overflows = kind == NodeKind::Add        ? __builtin_add_overflow(*a, *b, &result)
                   : kind == NodeKind::Subtract ? __builtin_sub_overflow(*a, *b, &result)
                                                : __builtin_mul_overflow(*a, *b, &result);
  return overflows ? std::nullopt : std::optional(result);
}

auto CircuitWriter::operation(NodeKind kind, NodeId a, NodeId b) -> NodeId {
  std::optional<int64_t> left = number(a);
  std::optional<int64_t> right = number(b);
  if (std::optional<int64_t> value = fold(kind, left, right)) {
    return constant(*value);
  }
  bool is_product = kind == NodeKind::Multiply;
  if (right == (is_product ? 1 : 0)) {
    return a;
  }
  if (kind != NodeKind::Subtract && left == (is_product ? 1 : 0)) {
    return b;
  }
  if (kind != NodeKind::Subtract && b < a) {
    std::swap(a, b);
  }
  Node node;
  node.kind = kind;
  node.a = a;
  node.b = b;
  return add(std::move(node));
}

auto CircuitWriter::rotate(NodeId a, LoopFormula steps) -> NodeId {
  if (number(a) || (steps.terms.empty() && steps.constant % circuit_.n_columns == 0)) {
    return a;
  }
  Node node;
  node.kind = NodeKind::Rotate;
  node.a = a;
  node.formulas.push_back(std::move(steps));
  return add(std::move(node));
}

auto CircuitWriter::rotate(NodeId a, int64_t steps) -> NodeId {
  LoopFormula formula;
  int64_t n = circuit_.n_columns;
  formula.constant = (steps % n + n) % n;
  return rotate(a, std::move(formula));
}

auto CircuitWriter::swap_rows(NodeId a) -> NodeId {
  if (number(a)) {
    return a;
  }
  Node node;
  node.kind = NodeKind::SwapRows;
  node.a = a;
  return add(std::move(node));
}

auto CircuitWriter::depends_on(NodeId id, LoopId loop) -> bool {
  uint64_t key = uint64_t{id.index} << 32 | loop.index;
  if (auto it = dependences_.find(key); it != dependences_.end()) {
    return it->second;
  }
  const Node& node = circuit_.nodes[id];
  bool binds = (node.kind == NodeKind::Sum || node.kind == NodeKind::Product) && node.loop == loop;
  bool result = !binds && ((node.a.has_value() && depends_on(node.a, loop)) ||
                           (node.b.has_value() && depends_on(node.b, loop)));
  for (const LoopFormula& formula : node.formulas) {
    for (const LoopTerm& term : formula.terms) {
      result = result || term.loop == loop;
    }
  }
  dependences_.emplace(key, result);
  return result;
}

auto CircuitWriter::over_loop(NodeKind kind, LoopId loop, NodeId a) -> NodeId {
  int64_t extent = circuit_.loops[loop].extent;
  if (extent == 1 && !depends_on(a, loop)) {
    return a;
  }
  if (!depends_on(a, loop)) {
    return repeat(kind, a, extent);
  }
  Node node;
  node.kind = kind;
  node.a = a;
  node.loop = loop;
  return add(std::move(node));
}

auto CircuitWriter::repeat(NodeKind kind, NodeId a, int64_t count) -> NodeId {
  if (kind == NodeKind::Sum) {
    return operation(NodeKind::Multiply, a, constant(count));
  }
  std::optional<NodeId> result;
  for (NodeId power = a; count > 0; count /= 2) {
    if (count % 2 == 1) {
      result = result ? operation(NodeKind::Multiply, *result, power) : power;
    }
    if (count > 1) {
      power = operation(NodeKind::Multiply, power, power);
    }
  }
  return *result;
}

auto loop_formula(LoopId loop) -> LoopFormula {
  LoopFormula formula;
  formula.terms.push_back({loop, 1});
  return formula;
}

}  // namespace tacet::schedule
