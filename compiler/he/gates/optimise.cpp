#include "compiler/he/gates/optimise.h"

#include <algorithm>
#include <array>

#include "base/cancellation.h"
#include "compiler/he/gates/balance_trees.h"
#include "compiler/he/gates/rebuilding.h"
#include "compiler/he/gates/small_functions.h"

namespace tacet::gates {

namespace {

/// Up to four gates that decide about another one, and how.
struct Cut {
  uint8_t n_leaves = 0;
  std::array<uint32_t, 4> leaves{};  ///< ascending
  TruthTable function = 0;

  [[nodiscard]] auto has_leaf(uint32_t gate) const -> bool {
    return std::find(leaves.begin(), leaves.begin() + n_leaves, gate) != leaves.begin() + n_leaves;
  }
  [[nodiscard]] auto is_within(const Cut& other) const -> bool {
    return std::includes(other.leaves.begin(), other.leaves.begin() + other.n_leaves,
                         leaves.begin(), leaves.begin() + n_leaves);
  }
};

/// So many cuts of each gate are followed up.
constexpr size_t kMostCuts = 6;

/// All leaves of both; false if they are more than four.
auto merge_leaves(const Cut& a, const Cut& b, Cut& merged) -> bool {
  size_t i = 0;
  size_t j = 0;
  uint8_t n = 0;
  while (i < a.n_leaves || j < b.n_leaves) {
    if (n == merged.leaves.size()) {
      return false;
    }
    const bool takes_a = j == b.n_leaves || (i < a.n_leaves && a.leaves[i] <= b.leaves[j]);
    const uint32_t leaf = takes_a ? a.leaves[i] : b.leaves[j];
    i += i < a.n_leaves && a.leaves[i] == leaf ? 1 : 0;
    j += j < b.n_leaves && b.leaves[j] == leaf ? 1 : 0;
    merged.leaves[n++] = leaf;
  }
  merged.n_leaves = n;
  return true;
}

/// The function of a cut over the leaves of a larger one.
auto widened(const Cut& cut, const Cut& over) -> TruthTable {
  std::array<unsigned, 4> place{};
  for (size_t k = 0; k < cut.n_leaves; ++k) {
    place[k] = static_cast<unsigned>(
        std::find(over.leaves.begin(), over.leaves.end(), cut.leaves[k]) - over.leaves.begin());
  }
  unsigned function = 0;
  for (unsigned row = 0; row < 16; ++row) {
    unsigned own_row = 0;
    for (unsigned k = 0; k < cut.n_leaves; ++k) {
      own_row |= (row >> place[k] & 1U) << k;
    }
    function |= (static_cast<unsigned>(cut.function) >> own_row & 1U) << row;
  }
  return static_cast<TruthTable>(function);
}

/// One walk over a graph.
class Round {
 public:
  explicit Round(const Graph& graph)
      : graph_(graph), rebuilding_(graph), cuts_(graph.gates.size()) {
    for (uint32_t id = 0; id < graph.gates.size(); ++id) {
      if (graph.gates[id].kind == GateKind::Input) {
        cuts_[id].push_back(own_cut(id));
      }
    }
    cuts_[0].push_back({});
  }

  auto run() -> Graph {
    return rebuilding_.run([&](uint32_t id) {
      stop_if_cancelled();
      find_cuts(id);
      return replaced(id);
    });
  }

 private:
  static auto own_cut(uint32_t id) -> Cut { return {1, {id}, kProjections[0]}; }

  void find_cuts(uint32_t id) {
    const Gate& gate = graph_.gates[id];
    std::vector<Cut>& found = cuts_[id];
    for (const Cut& a : cuts_[gate.operands[0].gate()]) {
      for (const Cut& b : cuts_[gate.operands[1].gate()]) {
        Cut both;
        if (!merge_leaves(a, b, both)) {
          continue;
        }
        for (const Cut& c : cuts_[gate.operands[2].gate()]) {
          Cut cut;
          if (merge_leaves(both, c, cut)) {
            cut.function = function_of(gate, {widened(a, cut), widened(b, cut), widened(c, cut)});
            add_cut(found, cut);
          }
        }
      }
    }
    if (found.size() > kMostCuts) {
      found.resize(kMostCuts);
    }
    found.push_back(own_cut(id));
  }

  static auto function_of(const Gate& gate, std::array<TruthTable, 3> operands) -> TruthTable {
    for (size_t k = 0; k < operands.size(); ++k) {
      if (gate.operands[k].is_inverted()) {
        operands[k] = static_cast<TruthTable>(~operands[k]);
      }
    }
    const auto [a, b, c] = operands;
    return static_cast<TruthTable>(applied(gate.kind, a, b, c));
  }

  /// Those with fewer leaves say more.
  static void add_cut(std::vector<Cut>& cuts, const Cut& cut) {
    if (std::any_of(cuts.begin(), cuts.end(),
                    [&](const Cut& known) { return known.is_within(cut); })) {
      return;
    }
    std::erase_if(cuts, [&](const Cut& known) { return cut.is_within(known); });
    cuts.push_back(cut);
  }

  auto replaced(uint32_t id) -> Signal {
    const SmallFunctions& functions = SmallFunctions::all();
    const size_t n_before = rebuilding_.builder.graph().gates.size();
    const Cut* best = nullptr;
    int best_gain = 0;
    for (const Cut& cut : cuts_[id]) {
      if (cut.has_leaf(id) || functions.n_gates(cut.function) > SmallFunctions::kMostGates) {
        continue;
      }
      const int n_freed = free_cone(id, cut);
      keep_cone(id, cut);
      make(cut);
      const auto n_made = static_cast<int>(rebuilding_.builder.graph().gates.size() - n_before);
      rebuilding_.builder.forget_from(n_before);
      if (n_freed - n_made > best_gain) {
        best_gain = n_freed - n_made;
        best = &cut;
      }
    }
    const Gate& gate = graph_.gates[id];
    if (best == nullptr) {
      return rebuilding_.copied(gate);
    }
    free_cone(id, *best);
    for (size_t k = 0; k < best->n_leaves; ++k) {
      ++rebuilding_.n_uses[best->leaves[k]];
    }
    return make(*best);
  }

  auto make(const Cut& cut) -> Signal {
    std::array<Signal, 4> bits = {kFalse, kFalse, kFalse, kFalse};
    for (size_t k = 0; k < cut.n_leaves; ++k) {
      bits[k] = rebuilding_.signals[cut.leaves[k]];
    }
    return SmallFunctions::all().make(rebuilding_.builder, cut.function, bits);
  }

  /// How many bootstraps are not needed any more if this gate is not, down to the leaves of a cut.
  auto free_cone(uint32_t id, const Cut& cut) -> int {
    int n = is_bootstrapped(graph_.gates[id].kind) ? 1 : 0;
    for (const Signal operand : graph_.gates[id].operands) {
      const uint32_t gate = operand.gate();
      const bool is_free = --rebuilding_.n_uses[gate] == 0;
      if (is_free && is_gate(graph_.gates[gate].kind) && !cut.has_leaf(gate)) {
        n += free_cone(gate, cut);
      }
    }
    return n;
  }

  /// The reverse.
  void keep_cone(uint32_t id, const Cut& cut) {
    for (const Signal operand : graph_.gates[id].operands) {
      const uint32_t gate = operand.gate();
      const bool was_free = rebuilding_.n_uses[gate]++ == 0;
      if (was_free && is_gate(graph_.gates[gate].kind) && !cut.has_leaf(gate)) {
        keep_cone(gate, cut);
      }
    }
  }

  const Graph& graph_;
  Rebuilding rebuilding_;
  std::vector<std::vector<Cut>> cuts_;  ///< by gate
};

}  // namespace

auto optimise(Graph graph, size_t most_rounds) -> Graph {
  graph = without_unused(graph);
  bool is_balanced = false;
  for (size_t i = 0; i < most_rounds; ++i) {
    Graph smaller = Round(graph).run();
    const size_t before = n_bootstraps(graph);
    size_t after = n_bootstraps(smaller);
    // Another round over a large circuit takes seconds.
    constexpr size_t kLarge = 50'000;
    const bool is_done = after >= before || (after > kLarge && before - after < before / 100);
    if (after < before) {
      graph = std::move(smaller);
    }
    if (is_done) {
      Graph balanced = with_balanced_trees(graph);
      const auto cost = [](const Graph& of) { return std::pair(n_bootstraps(of), depth(of)); };
      if (is_balanced || cost(balanced) >= cost(graph)) {
        break;
      }
      graph = std::move(balanced);
      is_balanced = true;
    }
  }
  return graph;
}

}  // namespace tacet::gates
