#include "compiler/he/gates/balance_trees.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "compiler/he/gates/rebuilding.h"

namespace tacet::gates {

namespace {

/// So many conjunctions follow one another in a chain at most.
constexpr size_t kMostInChain = 4;

/// What a tree combines: bits and, in a parity, conjunctions of two.
struct Terms {
  std::vector<Signal> bits;
  std::vector<std::array<Signal, 2>> products;
  bool is_inverted = false;
};

class Balancing {
 public:
  explicit Balancing(const Graph& graph)
      : graph_(graph),
        rebuilding_(graph),
        is_inner_(graph.gates.size(), false),
        is_of_conjunction_(graph.gates.size(), false) {
    mark_inner();
  }

  auto run() -> Graph {
    return rebuilding_.run([&](uint32_t id) {
      const Gate& gate = graph_.gates[id];
      return is_inner_[id]          ? Signal()  // which only its tree refers to
             : is_parity(gate)      ? made(terms_of(gate))
             : is_conjunction(gate) ? conjunction_of(literals_of(gate))
                                    : rebuilding_.copied(gate);
    });
  }

 private:
  static auto is_conjunction(const Gate& gate) -> bool {
    return gate.kind == GateKind::Majority && gate.operands[0].is_constant();
  }

  static auto is_parity(const Gate& gate) -> bool {
    return gate.kind == GateKind::Parity || gate.kind == GateKind::XorAnd;
  }

  /// An operand of a conjunction; a disjunction is the inverse of one, of inverted operands.
  static auto literal(const Gate& gate, size_t k) -> Signal {
    return gate.operands[k].inverted_if(is_inverted(gate));
  }
  /// Of a conjunction: whether it is a disjunction.
  static auto is_inverted(const Gate& gate) -> bool { return gate.operands[0].is_inverted(); }

  /// Gates of which a parity alone knows: parities, conjunctions, and sums of these. And those of
  /// which a conjunction alone knows: conjunctions.
  void mark_inner() {
    std::vector<bool> are_products(graph_.gates.size(), false);
    are_products[0] = true;
    for (uint32_t id = 1; id < graph_.gates.size(); ++id) {
      const Gate& gate = graph_.gates[id];
      are_products[id] = rebuilding_.n_uses[id] == 1 &&
                         (is_conjunction(gate) ||
                          (gate.kind == GateKind::Sum &&
                           std::all_of(gate.operands.begin(), gate.operands.end(),
                                       [&](Signal term) { return are_products[term.gate()]; })));
    }
    std::vector<uint8_t> is_in_tree(graph_.gates.size(), 0);
    for (uint32_t id = static_cast<uint32_t>(graph_.gates.size()); id-- > 0;) {
      const Gate& gate = graph_.gates[id];
      is_inner_[id] =
          is_of_conjunction_[id] || (is_in_tree[id] != 0 && rebuilding_.n_uses[id] == 1 &&
                                     (is_parity(gate) || are_products[id]));
      if (gate.kind == GateKind::XorAnd) {
        is_in_tree[gate.operands[0].gate()] = 1;
      } else if (gate.kind == GateKind::Parity || (gate.kind == GateKind::Sum && is_inner_[id])) {
        for (const Signal operand : gate.operands) {
          is_in_tree[operand.gate()] = 1;
        }
      } else if (is_conjunction(gate) && (is_of_conjunction_[id] || !is_inner_[id])) {
        mark_conjunctions(gate);
      }
    }
  }

  void mark_conjunctions(const Gate& gate) {
    for (const size_t k : {size_t{1}, size_t{2}}) {
      const Signal operand = literal(gate, k);
      const Gate& inner = graph_.gates[operand.gate()];
      is_of_conjunction_[operand.gate()] = rebuilding_.n_uses[operand.gate()] == 1 &&
                                           is_conjunction(inner) &&
                                           operand.is_inverted() == is_inverted(inner);
    }
  }

  [[nodiscard]] auto moved(Signal signal) const -> Signal { return rebuilding_.moved(signal); }

  /// What a tree adds up, from its root on.
  auto terms_of(const Gate& root) -> Terms {
    Terms terms;
    // Trees can be as deep as loops are long.
    std::vector<Signal> open;
    const auto add_operands = [&](const Gate& gate) {
      if (gate.kind == GateKind::XorAnd) {
        open.push_back(gate.operands[0]);
        terms.products.push_back({moved(gate.operands[1]), moved(gate.operands[2])});
      } else {
        open.insert(open.end(), gate.operands.begin(), gate.operands.end());
      }
    };
    add_operands(root);
    while (!open.empty()) {
      const Signal signal = open.back();
      open.pop_back();
      const Gate& gate = graph_.gates[signal.gate()];
      terms.is_inverted ^= signal.is_inverted();
      if (!is_inner_[signal.gate()]) {
        const Signal bit = moved({signal.gate(), false});
        terms.is_inverted ^= bit.is_inverted();
        if (!bit.is_constant()) {
          terms.bits.emplace_back(bit.gate(), false);
        }
      } else if (is_conjunction(gate)) {
        // a | b is !(!a & !b).
        const bool is_or = gate.operands[0].is_inverted();
        terms.is_inverted ^= is_or;
        terms.products.push_back({moved(gate.operands[1]).inverted_if(is_or),
                                  moved(gate.operands[2]).inverted_if(is_or)});
      } else {
        add_operands(gate);
      }
    }
    remove_pairs(terms.bits);
    return terms;
  }

  /// What a tree of conjunctions needs to be set, from its root on; and whether the root is
  /// inverted.
  auto literals_of(const Gate& root) -> Terms {
    Terms terms{.bits = {}, .products = {}, .is_inverted = is_inverted(root)};
    std::vector<const Gate*> open = {&root};
    while (!open.empty()) {
      const Gate& gate = *open.back();
      open.pop_back();
      for (const size_t k : {size_t{1}, size_t{2}}) {
        const Signal operand = literal(gate, k);
        if (is_of_conjunction_[operand.gate()]) {
          open.push_back(&graph_.gates[operand.gate()]);
        } else {
          terms.bits.push_back(moved(operand));
        }
      }
    }
    std::sort(terms.bits.begin(), terms.bits.end());
    terms.bits.erase(std::unique(terms.bits.begin(), terms.bits.end()), terms.bits.end());
    return terms;
  }

  static void remove_pairs(std::vector<Signal>& bits) {
    std::sort(bits.begin(), bits.end());
    std::vector<Signal> kept;
    for (const Signal bit : bits) {
      if (!kept.empty() && kept.back() == bit) {
        kept.pop_back();
      } else {
        kept.push_back(bit);
      }
    }
    bits = std::move(kept);
  }

  auto level_of(Signal signal) -> uint32_t {
    const Graph& graph = rebuilding_.builder.graph();
    for (size_t i = levels_.size(); i < graph.gates.size(); ++i) {
      const Gate& gate = graph.gates[i];
      uint32_t level = 0;
      for (const Signal operand : gate.operands) {
        level = std::max(level, levels_[operand.gate()]);
      }
      levels_.push_back(level + (is_bootstrapped(gate.kind) ? 1 : 0));
    }
    return levels_[signal.gate()];
  }

  auto level_of(const std::array<Signal, 2>& product) -> uint32_t {
    return std::max(level_of(product[0]), level_of(product[1]));
  }

  /// The earliest bits and products first.
  auto made(Terms terms) -> Signal {
    const auto by_level = [&](const auto& a, const auto& b) { return level_of(a) < level_of(b); };
    std::stable_sort(terms.products.begin(), terms.products.end(), by_level);
    std::stable_sort(terms.bits.begin(), terms.bits.end(), by_level);
    const size_t n_chains = (terms.products.size() + kMostInChain - 1) / kMostInChain;
    terms.bits.resize(std::max(terms.bits.size(), n_chains), kFalse);
    for (size_t i = 0; i < n_chains; ++i) {
      Signal& chain = terms.bits[i];
      for (size_t k = i; k < terms.products.size(); k += n_chains) {
        chain = rebuilding_.builder.xor_and(chain, terms.products[k][0], terms.products[k][1]);
      }
    }
    // An even number has a parity of two, the first one.
    return combined(terms.bits, kFalse,
                    [&](size_t n, const auto& next) {
                      const Signal a = next();
                      const Signal b = next();
                      return rebuilding_.builder.parity(a, b, n % 2 == 0 ? kFalse : next());
                    })
        .inverted_if(terms.is_inverted);
  }

  auto conjunction_of(const Terms& terms) -> Signal {
    // Neighbours if a bit and its inverse are among them.
    for (size_t i = 0; i + 1 < terms.bits.size(); ++i) {
      if (terms.bits[i] == !terms.bits[i + 1]) {
        return kFalse.inverted_if(terms.is_inverted);
      }
    }
    return combined(terms.bits, kTrue,
                    [&](size_t /*n*/, const auto& next) {
                      const Signal a = next();
                      return rebuilding_.builder.conjunction(a, next());
                    })
        .inverted_if(terms.is_inverted);
  }

  /// `combine(n, next)` makes one of the first ones of n, until one is left.
  template <class Combine>
  auto combined(const std::vector<Signal>& bits, Signal of_none, const Combine& combine) -> Signal {
    using Entry = std::tuple<uint32_t, size_t, Signal>;  // level, order, bit
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    size_t n = 0;
    for (const Signal bit : bits) {
      open.emplace(level_of(bit), n++, bit);
    }
    const auto next = [&] {
      const Signal bit = std::get<Signal>(open.top());
      open.pop();
      return bit;
    };
    while (open.size() > 1) {
      const Signal made = combine(open.size(), next);
      open.emplace(level_of(made), n++, made);
    }
    return open.empty() ? of_none : next();
  }

  const Graph& graph_;
  Rebuilding rebuilding_;
  std::vector<bool> is_inner_;           ///< by gate: whether it is part of a tree, below its root
  std::vector<bool> is_of_conjunction_;  ///< by gate: whether that is a tree of conjunctions
  std::vector<uint32_t> levels_ = {0};   ///< by gate of the new graph
};

}  // namespace

auto with_balanced_trees(const Graph& graph) -> Graph {
  return Balancing(graph).run();
}

}  // namespace tacet::gates
