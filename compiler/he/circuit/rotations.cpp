#include "compiler/he/circuit/rotations.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "compiler/he/circuit/rebuild.h"

namespace tacet::circuit {
namespace {

/// What is known in plaintext among nodes that are being built.
class Clearness {
 public:
  Clearness(const Builder& builder, const std::vector<bool>& is_statement_cipher)
      : builder_(builder), is_statement_cipher_(is_statement_cipher) {}

  auto of(NodeId id) -> bool {
    const auto known = known_.find(id);
    if (known != known_.end()) {
      return known->second;
    }
    const Node& node = builder_.circuit().nodes[id];
    const bool is_clear =
        node.kind == NodeKind::Input ? !builder_.circuit().families[node.family].is_cipher
        : node.kind == NodeKind::Result
            ? !is_statement_cipher_[node.statement]
            : (!node.a.has_value() || of(node.a)) && (!node.b.has_value() || of(node.b));
    known_.emplace(id, is_clear);
    return is_clear;
  }

 private:
  const Builder& builder_;
  const std::vector<bool>& is_statement_cipher_;
  std::unordered_map<NodeId, bool> known_;
};

/// Rotates expressions by rotating what they consist of.
class Pusher {
 public:
  Pusher(Builder& builder, LoopFormula steps, Clearness& clearness)
      : builder_(builder), steps_(std::move(steps)), clearness_(clearness) {}

  auto rotated(NodeId id) -> NodeId {
    const auto known = known_.find(id);
    if (known != known_.end()) {
      return known->second;
    }
    const NodeId made = make(id);
    known_.emplace(id, made);
    return made;
  }

 private:
  auto make(NodeId id) -> NodeId {
    const Node node = builder_.circuit().nodes[id];
    if (clearness_.of(id)) {
      return builder_.rotate(id, steps_);
    }
    switch (node.kind) {
      case NodeKind::Rotate:
        return is_affine(node.formulas[0])
                   ? builder_.rotate(node.a, sum_of(node.formulas[0], steps_))
                   : builder_.rotate(id, steps_);
      case NodeKind::Constant:
      case NodeKind::Input:
      case NodeKind::Result:
        return builder_.rotate(id, steps_);
      case NodeKind::Add:
      case NodeKind::Subtract:
      case NodeKind::Multiply:
      case NodeKind::SwapRows:
      case NodeKind::Sum:
      case NodeKind::Product:
        break;
    }
    Node result = node;
    result.a = rotated(node.a);
    result.b = node.b.has_value() ? rotated(node.b) : NodeId{};
    return builder_.node(result);
  }

  Builder& builder_;
  LoopFormula steps_;
  Clearness& clearness_;
  std::unordered_map<NodeId, NodeId> known_;
};

/// The factors of a loop in the rotations of ciphertexts below a node.
auto factors_of(const Circuit& circuit, const NodeFacts& facts, NodeId root, LoopId loop)
    -> std::set<int64_t> {
  std::set<int64_t> factors;
  std::set<NodeId> seen;
  std::vector<NodeId> open{root};
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    const Node& node = circuit.nodes[id];
    if (!facts.is_cipher[id.index] || !seen.insert(id).second) {
      continue;
    }
    if (node.kind == NodeKind::Rotate && is_affine(node.formulas[0])) {
      for (const LoopTerm& term : node.formulas[0].terms) {
        if (term.loop == loop) {
          factors.insert(term.factor);
        }
      }
    }
    for (const NodeId operand : {node.a, node.b}) {
      if (operand.has_value()) {
        open.push_back(operand);
      }
    }
  }
  return factors;
}

/// Keeps the cheapest circuit that it was offered.
class Best {
 public:
  Best(const Circuit& circuit, const RotationOptions& options)
      : options_(options), circuit_(circuit), cost_(cost_of(counts_of(circuit), options.weights)) {}

  auto offer(Circuit circuit) -> bool {
    const double cost = cost_of(counts_of(circuit), options_.weights);
    if (cost >= cost_) {
      return false;
    }
    circuit_ = std::move(circuit);
    cost_ = cost;
    return true;
  }

  [[nodiscard]] auto circuit() const -> const Circuit& { return circuit_; }

 private:
  const RotationOptions& options_;
  Circuit circuit_;
  double cost_;
};

/// Sizes of inner loops to try: divisors, and some around the root, which leave a rest.
auto inner_sizes(int64_t extent) -> std::set<int64_t> {
  std::set<int64_t> sizes;
  for (int64_t size = 1; size < extent; ++size) {
    const bool is_near_root = size * size * 4 >= extent && size * size <= extent * 2;
    if (extent % size == 0 || (is_near_root && sizes.size() < 16 && extent / size >= 2)) {
      sizes.insert(size);
    }
  }
  return sizes;
}

/// Tries giant steps for each sum; whether that found something better.
auto improve(Best& best, const RotationOptions& options) -> bool {
  const Circuit circuit = best.circuit();
  const NodeFacts facts = node_facts(circuit);
  bool is_better = false;
  for (const NodeId id : facts.order.nodes) {
    const Node& node = circuit.nodes[id];
    if (node.kind != NodeKind::Sum || !facts.is_cipher[id.index]) {
      continue;
    }
    const int64_t extent = circuit.loops[node.loop].extent;
    for (const int64_t steps : factors_of(circuit, facts, node.a, node.loop)) {
      for (const int64_t n_inner : inner_sizes(extent)) {
        if (options.is_cancelled && options.is_cancelled()) {
          return false;
        }
        is_better = best.offer(giant_steps(circuit, id, steps, n_inner)) || is_better;
      }
    }
  }
  return is_better;
}

/// Steps as digits times powers of the base, digits near zero; the last takes what is left.
auto digits_of(int64_t steps, int64_t base, int64_t modulus) -> std::vector<int64_t> {
  std::vector<int64_t> digits;
  for (int64_t weight = 1; weight < modulus; weight *= base) {
    int64_t digit = ((steps % base) + base) % base;
    if (base == 2 && digit == 1 && (steps & 3) == 3) {
      digit = -1;  // so that its neighbour is zero
    } else if (2 * digit > base) {
      digit -= base;
    }
    digits.push_back(digit * weight);
    steps = (steps - digit) / base;
  }
  return digits;
}

/// Formulas whose sum is `steps` modulo the number of columns, one for each digit.
auto digit_formulas(const Circuit& circuit, const LoopFormula& steps, int64_t base)
    -> std::vector<LoopFormula> {
  const auto n = static_cast<int64_t>(circuit.n_columns);
  LoopFormula index = steps;
  std::vector<int64_t> numbers = steps.table;
  if (numbers.empty()) {
    // A table of all numbers: the sum without its common factor, from 0.
    int64_t unit = 0;
    for (const LoopTerm& term : steps.terms) {
      unit = std::gcd(unit, term.factor);
    }
    unit = std::max<int64_t>(unit, 1);
    const FormulaRange range = range_of(steps, circuit);
    for (LoopTerm& term : index.terms) {
      term.factor /= unit;
    }
    index.constant = (steps.constant - range.low) / unit;
    for (int64_t number = range.low; number <= range.high; number += unit) {
      numbers.push_back(number);
    }
  }
  std::vector<LoopFormula> result;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int64_t rest = ((numbers[i] % n) + n) % n;
    const std::vector<int64_t> digits = digits_of(2 * rest > n ? rest - n : rest, base, n);
    result.resize(digits.size(), index);
    for (size_t k = 0; k < digits.size(); ++k) {
      result[k].table.resize(numbers.size());
      result[k].table[i] = digits[k];
    }
  }
  for (LoopFormula& formula : result) {
    formula = normal(std::move(formula));
  }
  return result;
}

}  // namespace

namespace {

/// Makes the sum at a node with giant steps after it.
class GiantSteps {
 public:
  GiantSteps(Builder& builder, const Node& sum, int64_t steps, const NodeFacts& facts)
      : builder_(builder),
        sum_(sum),
        steps_(steps),
        clearness_(builder, facts.is_statement_cipher) {}

  auto whole() -> NodeId {
    const LoopFormula giant = loop_formula(sum_.loop, steps_);
    return builder_.sum(sum_.loop, turned(sum_.a, giant, {}));
  }

  /// `n_inner` values at a time; those that are left over by themselves.
  auto split(int64_t n_inner) -> NodeId {
    const Loop loop = builder_.circuit().loops[sum_.loop];
    const int64_t n_outer = loop.extent / n_inner;
    const int64_t n_rest = loop.extent % n_inner;
    const LoopId outer = add_loop(loop.name + "_giant", n_outer);
    const LoopId inner = add_loop(loop.name + "_baby", n_inner);
    const LoopFormula number = sum_of(loop_formula(outer, n_inner), loop_formula(inner));
    const NodeId main =
        builder_.sum(outer, turned(body_at(number), loop_formula(outer, steps_ * n_inner), inner));
    if (n_rest == 0) {
      return main;
    }
    LoopFormula rest = constant_formula(n_outer * n_inner);
    std::optional<LoopId> left_over;
    if (n_rest > 1) {
      left_over = add_loop(loop.name + "_rest", n_rest);
      rest = sum_of(rest, loop_formula(*left_over));
    }
    const LoopFormula by = constant_formula(steps_ * n_outer * n_inner);
    return builder_.add(main, turned(body_at(rest), by, left_over));
  }

 private:
  auto add_loop(std::string name, int64_t extent) -> LoopId {
    return builder_.circuit().loops.add({.name = std::move(name), .extent = extent});
  }

  auto body_at(const LoopFormula& number) -> NodeId {
    return substituted(builder_, sum_.a, sum_.loop, number);
  }

  /// A body, summed up over a loop, with this part of its rotations done last.
  auto turned(NodeId body, const LoopFormula& by, std::optional<LoopId> loop) -> NodeId {
    const NodeId pushed = Pusher(builder_, times(by, -1), clearness_).rotated(body);
    return builder_.rotate(loop ? builder_.sum(*loop, pushed) : pushed, by);
  }

  Builder& builder_;
  const Node& sum_;
  int64_t steps_;
  Clearness clearness_;
};

}  // namespace

auto giant_steps(const Circuit& circuit, NodeId id, int64_t steps, int64_t n_inner) -> Circuit {
  const NodeFacts facts = node_facts(circuit);
  const Circuit result =
      rebuilt(circuit, [&](Builder& builder, NodeId at, const Node& node) -> NodeId {
        if (at != id) {
          return builder.node(node);
        }
        GiantSteps giants(builder, node, steps, facts);
        return n_inner == 1 ? giants.whole() : giants.split(n_inner);
      });
  return compacted(result);
}

auto rotations_by_digits(const Circuit& circuit, int64_t base) -> Circuit {
  const NodeFacts facts = node_facts(circuit);
  constexpr int64_t kMostNumbers = 1 << 12;
  return rebuilt(circuit, [&](Builder& builder, NodeId id, const Node& node) -> NodeId {
    if (node.kind != NodeKind::Rotate || !facts.is_cipher[id.index]) {
      return builder.node(node);
    }
    const FormulaRange range = range_of(node.formulas[0], circuit);
    if (is_affine(node.formulas[0]) && range.high - range.low >= kMostNumbers) {
      return builder.node(node);
    }
    NodeId result = node.a;
    for (const LoopFormula& digit : digit_formulas(circuit, node.formulas[0], base)) {
      result = builder.rotate(result, digit);
    }
    return result;
  });
}

auto plan_rotations(const Circuit& circuit, const RotationOptions& options) -> Circuit {
  Best best(circuit, options);
  for (size_t round = 0; round < options.max_rounds && improve(best, options); ++round) {
  }
  if (options.weights.rotation_key > 0) {
    const Circuit exact = best.circuit();
    for (const int64_t base : {2, 4, 8, 16, 32}) {
      best.offer(rotations_by_digits(exact, base));
    }
  }
  return best.circuit();
}

}  // namespace tacet::circuit
