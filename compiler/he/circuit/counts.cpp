#include "compiler/he/circuit/counts.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/he/circuit/formula.h"
#include "compiler/he/circuit/mentions.h"
#include "compiler/he/circuit/relinearise.h"

namespace tacet::circuit {
namespace {

constexpr double kMostValues = 1 << 16;

/// The loops in a formula.
auto loops_of(const LoopFormula& formula) -> std::vector<LoopId> {
  std::vector<LoopId> loops;
  for (const LoopTerm& term : formula.terms) {
    loops.push_back(term.loop);
  }
  return loops;
}

/// Calls `visit` with the formula's numbers for all values of its loops.
template <class Visit>
void for_all_numbers(const LoopFormula& formula, const Circuit& circuit, const Visit& visit) {
  LoopValues values(circuit.loops.size());
  const auto count = [&](const auto& self, size_t at) -> void {
    if (at == formula.terms.size()) {
      visit(evaluate(formula, values));
      return;
    }
    const LoopId loop = formula.terms[at].loop;
    for (int64_t i = 0; i < circuit.loops[loop].extent; ++i) {
      values[loop.index] = i;
      self(self, at + 1);
    }
  };
  count(count, 0);
}

auto remainder(int64_t steps, int64_t n) -> int64_t {
  return ((steps % n) + n) % n;
}

class Counter {
 public:
  explicit Counter(const Circuit& circuit) : circuit_(circuit), facts_(node_facts(circuit)) {}

  auto run() -> Counts {
    const std::vector<bool> is_relinearised = place_relinearisations(circuit_, facts_);
    needs_plain_.resize(circuit_.nodes.size());
    rotations_of_.resize(circuit_.nodes.size());
    for (const NodeId id : facts_.order.nodes) {
      count(id);
      counts_.relinearisations += is_relinearised[id.index] ? times(id) : 0;
    }
    for (const NodeId id : facts_.order.nodes) {
      counts_.input_plaintexts += needs_plain_[id.index] ? times(id) : 0;
      const size_t n = rotations_of_[id.index];
      counts_.hoisted_rotations += n > times(id) ? n - times(id) : 0;
    }
    families();
    outputs();
    counts_.rotation_keys = steps_.size() + (counts_.swaps > 0 ? 1 : 0);
    return counts_;
  }

 private:
  /// How often a node is evaluated.
  auto times(NodeId id) const -> size_t {
    return static_cast<size_t>(n_values(circuit_, facts_.loops[id.index]));
  }

  void count(NodeId id) {
    const Node& node = circuit_.nodes[id];
    const bool is_cipher = facts_.is_cipher[id.index];
    counts_.depth = std::max(counts_.depth, facts_.depth[id.index]);
    switch (node.kind) {
      case NodeKind::Constant:
      case NodeKind::Result:
        break;
      case NodeKind::Input:
        used_families_.insert(node.family);
        break;
      case NodeKind::Add:
      case NodeKind::Subtract:
        binary(id, counts_.ct_ct_additions, counts_.ct_pt_additions);
        break;
      case NodeKind::Multiply:
        if (!is_negation(id)) {
          binary(id, counts_.ct_ct_products, counts_.ct_pt_products);
        }
        break;
      case NodeKind::Rotate:
        if (is_cipher) {
          rotation(id);
        } else {
          counts_.native_operations += times(id);
        }
        break;
      case NodeKind::SwapRows:
        (is_cipher ? counts_.rotations : counts_.native_operations) += times(id);
        counts_.swaps += is_cipher ? times(id) : 0;
        break;
      case NodeKind::Sum:
      case NodeKind::Product:
        reduction(id);
        break;
    }
  }

  auto is_negation(NodeId id) -> bool {
    const Node& node = circuit_.nodes[id];
    const auto is_minus_one = [&](NodeId operand) {
      return circuit_.nodes[operand].kind == NodeKind::Constant &&
             circuit_.nodes[operand].number == -1;
    };
    if (!is_minus_one(node.a) && !is_minus_one(node.b)) {
      return false;
    }
    (facts_.is_cipher[id.index] ? counts_.negations : counts_.native_operations) += times(id);
    return true;
  }

  void binary(NodeId id, size_t& of_ciphers, size_t& with_plain) {
    const Node& node = circuit_.nodes[id];
    const bool a = facts_.is_cipher[node.a.index];
    const bool b = facts_.is_cipher[node.b.index];
    (a && b ? of_ciphers : a || b ? with_plain : counts_.native_operations) += times(id);
    if (a != b) {
      needs_plain_[(a ? node.b : node.a).index] = true;
    }
  }

  void rotation(NodeId id) {
    const Node& node = circuit_.nodes[id];
    const LoopFormula& formula = node.formulas[0];
    const double part = nonzero_part(formula, circuit_);
    const auto n = static_cast<size_t>(part * static_cast<double>(times(id)) + 0.5);
    counts_.rotations += n;
    rotations_of_[node.a.index] += n;
    const auto add_step = [&](int64_t number) {
      const int64_t steps = remainder(number, circuit_.n_columns);
      if (steps != 0) {
        steps_.insert(steps);
      }
    };
    if (n_values(circuit_, loops_of(formula)) <= kMostValues) {
      for_all_numbers(formula, circuit_, add_step);
    } else {
      // Too many to try: as many keys as there can be.
      for (int64_t steps = 1; steps < circuit_.n_columns; ++steps) {
        add_step(steps);
      }
    }
  }

  void reduction(NodeId id) {
    const Node& node = circuit_.nodes[id];
    const auto extent = static_cast<size_t>(circuit_.loops[node.loop].extent);
    const size_t n = (extent - 1) * times(id);
    if (!facts_.is_cipher[id.index]) {
      counts_.native_operations += n;
    } else if (node.kind == NodeKind::Sum) {
      counts_.ct_ct_additions += n;
    } else {
      counts_.ct_ct_products += n;
      counts_.relinearisations += extent > 2 ? (extent - 2) * times(id) : 0;
    }
  }

  void families() {
    for (const FamilyId id : used_families_) {
      const Family& family = circuit_.families[id];
      counts_.input_ciphertexts += family.is_cipher ? engine::n_elements(family.dimensions) : 0;
    }
  }

  /// Elements that are read; those known in plaintext are added to an encryption of zero.
  void outputs() {
    std::set<std::pair<uint32_t, std::vector<int64_t>>> elements;
    std::set<uint32_t> clear;
    for (const Output& output : circuit_.outputs) {
      if (!facts_.is_statement_cipher[output.statement]) {
        clear.insert(output.statement);
      }
      std::vector<int64_t> values(output.dimensions.size());
      const auto visit = [&](const auto& self, size_t at) -> void {
        if (at < values.size()) {
          // A dimension of which slots alone depend need not be run through.
          const int64_t extent =
              mentions(output.indices, at) ? output.dimensions[at].extent : int64_t{1};
          for (values[at] = 0; values[at] < extent; ++values[at]) {
            self(self, at + 1);
          }
          return;
        }
        std::vector<int64_t> indices;
        for (const engine::HeAffine& index : output.indices) {
          indices.push_back(engine::evaluate(index, values));
        }
        elements.emplace(output.statement, std::move(indices));
      };
      visit(visit, 0);
    }
    counts_.output_ciphertexts = elements.size();
    for (const uint32_t s : clear) {
      const auto n = static_cast<size_t>(n_values(circuit_, circuit_.statements[s].loops));
      counts_.input_plaintexts += n;
      counts_.ct_pt_additions += n;
    }
    counts_.input_ciphertexts += clear.empty() ? 0 : 1;
  }

  const Circuit& circuit_;
  NodeFacts facts_;
  Counts counts_;
  std::set<FamilyId> used_families_;
  std::set<int64_t> steps_;
  std::vector<bool> needs_plain_;     // by node
  std::vector<size_t> rotations_of_;  // by node: how often its values are rotated
};

}  // namespace

auto counts_of(const Circuit& circuit) -> Counts {
  return Counter(circuit).run();
}

auto nonzero_part(const LoopFormula& formula, const Circuit& circuit) -> double {
  const double n = n_values(circuit, loops_of(formula));
  if (n > kMostValues) {
    return 1;
  }
  double n_nonzero = 0;
  for_all_numbers(formula, circuit, [&](int64_t number) {
    n_nonzero += remainder(number, circuit.n_columns) == 0 ? 0 : 1;
  });
  return n_nonzero / n;
}

auto cost_of(const Counts& counts, const Weights& weights) -> double {
  const auto times = [](size_t n, double weight) { return static_cast<double>(n) * weight; };
  return times(counts.input_ciphertexts, weights.input_ciphertext) +
         times(counts.input_plaintexts, weights.input_plaintext) +
         times(counts.output_ciphertexts, weights.output_ciphertext) +
         times(counts.rotations - counts.hoisted_rotations, weights.rotation) +
         times(counts.hoisted_rotations, weights.hoisted_rotation) +
         times(counts.rotation_keys, weights.rotation_key) +
         times(counts.ct_ct_products, weights.ct_ct_product) +
         times(counts.ct_pt_products, weights.ct_pt_product) +
         times(counts.relinearisations, weights.relinearisation) +
         times(counts.ct_ct_additions, weights.ct_ct_addition) +
         times(counts.ct_pt_additions, weights.ct_pt_addition) +
         times(counts.negations, weights.negation) +
         times(counts.native_operations, weights.native_operation) +
         times(counts.depth, weights.depth);
}

auto recto_myers_weights(size_t n_slots) -> Weights {
  struct Row {
    double ciphertext, rotation, ct_ct_product, ct_pt_product, depth;
  };
  const std::map<size_t, Row> rows = {
      {4096, {12, 12, 12, 2, 12}}, {8192, {60, 60, 60, 8, 60}}, {16384, {450, 450, 250, 35, 450}}};
  const auto found = rows.find(n_slots);
  const Row row = found == rows.end() ? Row{1, 10, 10, 3, 10} : found->second;
  return {.input_ciphertext = row.ciphertext,
          .output_ciphertext = row.ciphertext,
          .rotation = row.rotation,
          .hoisted_rotation = row.rotation,
          .ct_ct_product = row.ct_ct_product,
          .ct_pt_product = row.ct_pt_product,
          .ct_ct_addition = 2,
          .ct_pt_addition = 2,
          .negation = 2,
          .native_operation = 1,
          .depth = row.depth};
}

}  // namespace tacet::circuit
