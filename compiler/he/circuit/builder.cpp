#include "compiler/he/circuit/builder.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace tacet::circuit {
namespace {

constexpr int64_t kLargest = int64_t{1} << 53;

auto formula_hash(const LoopFormula& formula) -> uint64_t {
  uint64_t seed = static_cast<uint64_t>(formula.constant);
  for (const LoopTerm& term : formula.terms) {
    seed = hash_combine(seed, term.loop.index);
    seed = hash_combine(seed, static_cast<uint64_t>(term.factor));
  }
  for (const int64_t number : formula.table) {
    seed = hash_combine(seed, static_cast<uint64_t>(number));
  }
  return seed;
}

auto folded(NodeKind kind, int64_t a, int64_t b) -> std::optional<int64_t> {
  int64_t result = 0;
  const bool overflows = kind == NodeKind::Add        ? __builtin_add_overflow(a, b, &result)
                         : kind == NodeKind::Subtract ? __builtin_sub_overflow(a, b, &result)
                                                      : __builtin_mul_overflow(a, b, &result);
  return overflows || result > kLargest || result < -kLargest ? std::nullopt
                                                              : std::optional(result);
}

}  // namespace

auto NodeHash::operator()(const Node& node) const -> size_t {
  uint64_t seed = static_cast<uint64_t>(node.kind);
  for (const uint64_t part :
       {static_cast<uint64_t>(node.number), uint64_t{node.family.index}, uint64_t{node.statement},
        uint64_t{node.a.index}, uint64_t{node.b.index}, uint64_t{node.loop.index}}) {
    seed = hash_combine(seed, part);
  }
  for (const LoopFormula& formula : node.formulas) {
    seed = hash_combine(seed, formula_hash(formula));
  }
  return static_cast<size_t>(seed);
}

auto n_operands(NodeKind kind) -> size_t {
  switch (kind) {
    case NodeKind::Constant:
    case NodeKind::Input:
    case NodeKind::Result:
      return 0;
    case NodeKind::Add:
    case NodeKind::Subtract:
    case NodeKind::Multiply:
      return 2;
    case NodeKind::Rotate:
    case NodeKind::SwapRows:
    case NodeKind::Sum:
    case NodeKind::Product:
      return 1;
  }
  return 0;
}

Builder::Builder(Circuit& circuit) : circuit_(&circuit) {
  for (uint32_t i = 0; i < circuit.nodes.size(); ++i) {
    ids_.try_emplace(circuit.nodes[NodeId{i}], NodeId{i});
  }
}

auto Builder::intern(Node node) -> NodeId {
  const auto [entry, is_new] = ids_.try_emplace(node, NodeId{});
  if (is_new) {
    entry->second = circuit_->nodes.add(std::move(node));
  }
  return entry->second;
}

auto Builder::intern_commutative(NodeKind kind, NodeId a, NodeId b) -> NodeId {
  const auto known = ids_.find(Node{.kind = kind, .a = b, .b = a});
  return known != ids_.end() ? known->second : intern({.kind = kind, .a = a, .b = b});
}

auto Builder::number_of(NodeId id) const -> const int64_t* {
  const Node& node = circuit_->nodes[id];
  return node.kind == NodeKind::Constant ? &node.number : nullptr;
}

auto Builder::constant(int64_t number) -> NodeId {
  return intern({.kind = NodeKind::Constant, .number = number});
}

auto Builder::input(FamilyId family, std::vector<LoopFormula> indices) -> NodeId {
  for (LoopFormula& index : indices) {
    index = normal(std::move(index));
  }
  return intern({.kind = NodeKind::Input, .family = family, .formulas = std::move(indices)});
}

auto Builder::result(uint32_t statement, std::vector<LoopFormula> indices) -> NodeId {
  for (LoopFormula& index : indices) {
    index = normal(std::move(index));
  }
  return intern({.kind = NodeKind::Result, .statement = statement, .formulas = std::move(indices)});
}

auto Builder::add(NodeId a, NodeId b) -> NodeId {
  const int64_t* x = number_of(a);
  const int64_t* y = number_of(b);
  if (x != nullptr && y != nullptr) {
    if (const auto sum = folded(NodeKind::Add, *x, *y)) {
      return constant(*sum);
    }
  }
  if (x != nullptr && *x == 0) {
    return b;
  }
  if (y != nullptr && *y == 0) {
    return a;
  }
  return intern_commutative(NodeKind::Add, a, b);
}

auto Builder::subtract(NodeId a, NodeId b) -> NodeId {
  const int64_t* x = number_of(a);
  const int64_t* y = number_of(b);
  if (a == b) {
    return constant(0);
  }
  if (x != nullptr && y != nullptr) {
    if (const auto difference = folded(NodeKind::Subtract, *x, *y)) {
      return constant(*difference);
    }
  }
  if (y != nullptr && *y == 0) {
    return a;
  }
  return intern({.kind = NodeKind::Subtract, .a = a, .b = b});
}

auto Builder::multiply(NodeId a, NodeId b) -> NodeId {
  const int64_t* x = number_of(a);
  const int64_t* y = number_of(b);
  if (x != nullptr && y != nullptr) {
    if (const auto product = folded(NodeKind::Multiply, *x, *y)) {
      return constant(*product);
    }
  }
  for (const auto& [number, self, other] : {std::tuple(x, a, b), std::tuple(y, b, a)}) {
    if (number != nullptr && *number == 0) {
      return self;
    }
    if (number != nullptr && *number == 1) {
      return other;
    }
  }
  return intern_commutative(NodeKind::Multiply, a, b);
}

auto Builder::rotate(NodeId a, LoopFormula steps) -> NodeId {
  steps = reduced(std::move(steps), circuit_->n_columns);
  if (is_number(steps, 0) || number_of(a) != nullptr) {
    return a;
  }
  return intern({.kind = NodeKind::Rotate, .formulas = {std::move(steps)}, .a = a});
}

auto Builder::swap_rows(NodeId a) -> NodeId {
  if (circuit_->nodes[a].kind == NodeKind::SwapRows) {
    return circuit_->nodes[a].a;
  }
  return number_of(a) != nullptr ? a : intern({.kind = NodeKind::SwapRows, .a = a});
}

auto Builder::sum(LoopId loop, NodeId a) -> NodeId {
  if (const int64_t* number = number_of(a)) {
    if (const auto sum = folded(NodeKind::Multiply, *number, circuit_->loops[loop].extent)) {
      return constant(*sum);
    }
  }
  return reduce(NodeKind::Sum, loop, a);
}

auto Builder::product(LoopId loop, NodeId a) -> NodeId {
  const int64_t* number = number_of(a);
  const bool is_kept = number != nullptr && (*number == 0 || *number == 1);
  return is_kept ? a : reduce(NodeKind::Product, loop, a);
}

auto Builder::reduce(NodeKind kind, LoopId loop, NodeId a) -> NodeId {
  // Over one value a reduction is its operand, if that does not say which value it is.
  const bool is_leaf = n_operands(circuit_->nodes[a].kind) == 0;
  const auto& formulas = circuit_->nodes[a].formulas;
  const bool is_free = is_leaf && std::none_of(formulas.begin(), formulas.end(),
                                               [&](const auto& f) { return mentions(f, loop); });
  if (circuit_->loops[loop].extent == 1 && is_free) {
    return a;
  }
  return intern({.kind = kind, .a = a, .loop = loop});
}

auto Builder::node(const Node& node) -> NodeId {
  switch (node.kind) {
    case NodeKind::Constant:
      return constant(node.number);
    case NodeKind::Input:
      return input(node.family, node.formulas);
    case NodeKind::Result:
      return result(node.statement, node.formulas);
    case NodeKind::Add:
      return add(node.a, node.b);
    case NodeKind::Subtract:
      return subtract(node.a, node.b);
    case NodeKind::Multiply:
      return multiply(node.a, node.b);
    case NodeKind::Rotate:
      return rotate(node.a, node.formulas.at(0));
    case NodeKind::SwapRows:
      return swap_rows(node.a);
    case NodeKind::Sum:
      return sum(node.loop, node.a);
    case NodeKind::Product:
      return product(node.loop, node.a);
  }
  return {};
}

}  // namespace tacet::circuit
