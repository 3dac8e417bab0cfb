#include "compiler/he/gates/builder.h"

#include <algorithm>

#include "base/check.h"
#include "base/id.h"

namespace tacet::gates {

static auto hash_of(GateKind kind, const std::array<Signal, 3>& operands) -> size_t {
  uint64_t hash = static_cast<uint64_t>(kind);
  for (const Signal operand : operands) {
    hash = hash_combine(hash, operand.code());
  }
  return static_cast<size_t>(hash);
}

GraphBuilder::GraphBuilder() : slots_(64, 0) {}

auto GraphBuilder::input(std::string name, size_t width) -> std::vector<Signal> {
  Bus bus{std::move(name), {}};
  for (size_t i = 0; i < width; ++i) {
    bus.bits.emplace_back(static_cast<uint32_t>(graph_.gates.size()), false);
    add({.kind = GateKind::Input});
  }
  graph_.inputs.push_back(bus);
  return bus.bits;
}

void GraphBuilder::output(std::string name, std::vector<Signal> bits) {
  graph_.outputs.push_back({std::move(name), std::move(bits)});
}

auto GraphBuilder::majority(Signal a, Signal b, Signal c) -> Signal {
  std::array<Signal, 3> operands = {a, b, c};
  std::sort(operands.begin(), operands.end());
  for (size_t i = 0; i + 1 < operands.size(); ++i) {
    if (operands[i].gate() == operands[i + 1].gate()) {
      // Two that agree decide; of two that differ, the third does.
      return operands[i] == operands[i + 1] ? operands[i] : operands[i == 0 ? 2 : 0];
    }
  }
  if (const std::optional<Signal> known = known_majority(operands)) {
    return *known;
  }
  const auto n_inverted = std::count_if(operands.begin(), operands.end(),
                                        [](Signal operand) { return operand.is_inverted(); });
  const bool is_inverted = n_inverted >= 2;
  for (Signal& operand : operands) {
    operand = operand.inverted_if(is_inverted);
  }
  return made(GateKind::Majority, operands).inverted_if(is_inverted);
}

/// A majority of a majority and two of its own operands: x for `maj(a, b, x = maj(a, b, c))`, and a
/// for `maj(a, !b, x)`. So a carry that goes through copies of a sign is computed once.
auto GraphBuilder::known_majority(const std::array<Signal, 3>& operands) const
    -> std::optional<Signal> {
  for (size_t i = 0; i < operands.size(); ++i) {
    const Signal inner = operands[i];
    const Gate& gate = graph_.gates[inner.gate()];
    if (gate.kind != GateKind::Majority) {
      continue;
    }
    const auto has = [&](Signal signal) {
      return std::any_of(gate.operands.begin(), gate.operands.end(), [&](Signal operand) {
        return operand.inverted_if(inner.is_inverted()) == signal;
      });
    };
    const Signal a = operands[(i + 1) % 3];
    const Signal b = operands[(i + 2) % 3];
    if (has(a) && has(b)) {
      return inner;
    }
    if (has(a) && has(!b)) {
      return a;
    }
    if (has(!a) && has(b)) {
      return b;
    }
  }
  return std::nullopt;
}

auto GraphBuilder::parity(Signal a, Signal b, Signal c) -> Signal {
  std::array<Signal, 3> operands = {a, b, c};
  bool is_inverted = false;
  for (Signal& operand : operands) {
    is_inverted ^= operand.is_inverted();
    operand = Signal{operand.gate(), false};
  }
  std::sort(operands.begin(), operands.end());
  for (size_t i = 0; i + 1 < operands.size(); ++i) {
    if (operands[i] == operands[i + 1]) {
      return operands[i == 0 ? 2 : 0].inverted_if(is_inverted);
    }
  }
  if (operands[0].is_constant()) {
    const std::array<Signal, 3> merged = merged_parity(operands);
    if (merged != operands) {
      return parity(merged[0], merged[1], merged[2]).inverted_if(is_inverted);
    }
  }
  return made(GateKind::Parity, operands).inverted_if(is_inverted);
}

/// `a ^ (b ^ c)` is one gate of three operands, and whether the inner one is still needed or not,
/// this one costs no more and comes earlier.
auto GraphBuilder::merged_parity(std::array<Signal, 3> operands) const -> std::array<Signal, 3> {
  for (const size_t i : {size_t{2}, size_t{1}}) {
    const Gate& inner = graph_.gates[operands[i].gate()];
    if (inner.kind == GateKind::Parity && inner.operands[0].is_constant()) {
      return {operands[3 - i], inner.operands[1], inner.operands[2]};
    }
  }
  return operands;
}

auto GraphBuilder::xor_and(Signal a, Signal b, Signal c) -> Signal {
  if (b.is_constant() || c.is_constant() || b.gate() == c.gate()) {
    return exclusive(a, conjunction(b, c));
  }
  if (a.is_constant()) {
    return conjunction(b, c).inverted_if(a.is_inverted());
  }
  for (const auto& [same, other] : {std::pair(b, c), std::pair(c, b)}) {
    if (a.gate() == same.gate()) {
      return a == same ? conjunction(a, !other) : disjunction(a, other);
    }
  }
  // No more noise than a majority of three sums has.
  if (4 * n_terms(a) + n_terms(b) + n_terms(c) > 3 * kMostTerms) {
    return exclusive(a, conjunction(b, c));
  }
  const Signal toggled{a.gate(), false};
  return made(GateKind::XorAnd, {toggled, std::min(b, c), std::max(b, c)})
      .inverted_if(a.is_inverted());
}

auto GraphBuilder::gate(GateKind kind, const std::array<Signal, 3>& operands) -> Signal {
  const auto [a, b, c] = operands;
  switch (kind) {
    case GateKind::Majority:
      return majority(a, b, c);
    case GateKind::Parity:
      return parity(a, b, c);
    case GateKind::XorAnd:
      return xor_and(a, b, c);
    case GateKind::Sum:
      return sum(a, b, c);
    case GateKind::Constant:
    case GateKind::Input:
      break;
  }
  TACET_CHECK(false, "no gate");
}

auto GraphBuilder::sum(Signal a, Signal b, Signal c) -> Signal {
  std::array<Signal, 3> operands = {a, b, c};
  std::sort(operands.begin(), operands.end());
  if (std::find(operands.begin(), operands.end(), kTrue) != operands.end()) {
    return kTrue;
  }
  for (size_t i = 0; i + 1 < operands.size(); ++i) {
    if (operands[i].gate() == operands[i + 1].gate() && !operands[i].is_constant()) {
      // One of a bit and its inverse is set; a bit that excludes itself is not.
      return operands[i] == operands[i + 1] ? operands[i == 0 ? 2 : 0] : kTrue;
    }
  }
  if (operands[1].is_constant()) {
    return operands[2];
  }
  if (n_terms(operands[0]) + n_terms(operands[1]) + n_terms(operands[2]) > kMostTerms) {
    return parity(a, b, c);
  }
  return made(GateKind::Sum, operands);
}

void GraphBuilder::add(const Gate& gate) {
  graph_.gates.push_back(gate);
  unsigned n = 1;
  if (gate.kind == GateKind::Sum) {
    n = n_terms(gate.operands[0]) + n_terms(gate.operands[1]) + n_terms(gate.operands[2]);
  }
  n_terms_.push_back(static_cast<uint8_t>(n));
}

auto GraphBuilder::select(Signal condition, Signal then, Signal otherwise) -> Signal {
  if (condition.is_constant()) {
    return condition == kTrue ? then : otherwise;
  }
  if (then == otherwise) {
    return then;
  }
  if (then == !otherwise) {
    return exclusive(condition, otherwise);
  }
  if (then.is_constant() || then.gate() == condition.gate()) {
    const bool is_true = then == kTrue || then == condition;
    return is_true ? disjunction(condition, otherwise) : conjunction(!condition, otherwise);
  }
  if (otherwise.is_constant() || otherwise.gate() == condition.gate()) {
    const bool is_true = otherwise == kTrue || otherwise == !condition;
    return is_true ? disjunction(!condition, then) : conjunction(condition, then);
  }
  const auto selected = [&](Signal a, Signal b) {
    const Signal if_clear = conjunction(!condition, b);
    const Signal if_set = conjunction(condition, a);
    return sum(if_set, if_clear);
  };
  // If the other of two numbers was selected, what was not is what is left of both: so exchanging
  // two bits takes three bootstraps.
  const size_t n = graph_.gates.size();
  const Signal other = selected(otherwise, then);
  if (graph_.gates.size() == n) {
    return parity(then, otherwise, other);
  }
  forget_from(n);
  return selected(then, otherwise);
}

auto GraphBuilder::made(GateKind kind, std::array<Signal, 3> operands) -> Signal {
  if (2 * (n_hashed_ + 1) > slots_.size()) {
    grow();
  }
  const size_t mask = slots_.size() - 1;
  for (size_t slot = hash_of(kind, operands) & mask;; slot = (slot + 1) & mask) {
    if (slots_[slot] == 0) {
      const auto id = static_cast<uint32_t>(graph_.gates.size());
      add({kind, operands, origin_});
      slots_[slot] = id;
      ++n_hashed_;
      return {id, false};
    }
    const Gate& found = graph_.gates[slots_[slot]];
    if (found.kind == kind && found.operands == operands) {
      return {slots_[slot], false};
    }
  }
}

void GraphBuilder::forget_from(size_t n) {
  // In the reverse order of their insertion, nothing was moved past them in the table.
  const size_t mask = slots_.size() - 1;
  for (; graph_.gates.size() > n; graph_.gates.pop_back(), n_terms_.pop_back()) {
    const Gate& last = graph_.gates.back();
    const auto id = static_cast<uint32_t>(graph_.gates.size() - 1);
    size_t slot = hash_of(last.kind, last.operands) & mask;
    while (slots_[slot] != id) {
      slot = (slot + 1) & mask;
    }
    slots_[slot] = 0;
    --n_hashed_;
  }
}

void GraphBuilder::grow() {
  std::vector<uint32_t> old = std::move(slots_);
  slots_.assign(2 * old.size(), 0);
  const size_t mask = slots_.size() - 1;
  for (const uint32_t id : old) {
    if (id != 0) {
      size_t slot = hash_of(graph_.gates[id].kind, graph_.gates[id].operands) & mask;
      while (slots_[slot] != 0) {
        slot = (slot + 1) & mask;
      }
      slots_[slot] = id;
    }
  }
}

}  // namespace tacet::gates
