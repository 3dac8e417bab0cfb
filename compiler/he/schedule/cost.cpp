#include "compiler/he/schedule/cost.h"

#include <algorithm>
#include <array>
#include <limits>

#include "compiler/he/circuit/counts.h"
#include "compiler/he/circuit/node_facts.h"

namespace tacet::schedule {

namespace {

using circuit::Circuit;
using circuit::Node;
using circuit::NodeFacts;
using circuit::NodeId;
using circuit::NodeKind;

constexpr int64_t kMostSteps = 4096;  ///< values of loops that are tried one by one

/// How many values of the loops rotate by nothing.
auto n_still(const Circuit& circuit, const circuit::LoopFormula& steps) -> int64_t {
  int64_t n_values = 1;
  std::vector<int64_t> extents;
  for (const circuit::LoopTerm& term : steps.terms) {
    extents.push_back(circuit.loops[term.loop].extent);
    n_values *= extents.back();
    if (n_values > kMostSteps) {
      return 0;
    }
  }
  int64_t count = 0;
  for (int64_t i = 0; i < n_values; ++i) {
    int64_t sum = steps.constant;
    int64_t rest = i;
    for (size_t t = 0; t < extents.size(); ++t) {
      sum += steps.terms[t].factor * (rest % extents[t]);
      rest /= extents[t];
    }
    int64_t amount = steps.table.empty() ? sum : steps.table[static_cast<size_t>(sum)];
    count += amount % circuit.n_columns == 0 ? 1 : 0;
  }
  return count;
}

struct Depth {
  int64_t products = 0;
  int64_t plain_products = 0;
};

auto max_of(Depth a, Depth b) -> Depth {
  return {std::max(a.products, b.products), std::max(a.plain_products, b.plain_products)};
}

class Counter {
 public:
  explicit Counter(const Circuit& circuit) : circuit_(circuit), facts_(node_facts(circuit)) {
    depths_.resize(circuit.nodes.size());
    statement_depths_.resize(circuit.statements.size());
    met_.resize(circuit.nodes.size(), false);
    rotations_of_.resize(circuit.nodes.size(), 0);
  }

  auto run() -> Counts {
    size_t statement = 0;
    for (size_t i = 0; i < facts_.order.nodes.size(); ++i) {
      while (statement + 1 < facts_.order.first.size() && i >= facts_.order.first[statement + 1]) {
        finish(statement++);
      }
      visit(facts_.order.nodes[i]);
    }
    while (statement < circuit_.statements.size()) {
      finish(statement++);
    }
    count_outputs();
    for (NodeId id : facts_.order.nodes) {
      int64_t times = values(facts_.loops[id.index]);
      counts_.hoisted_rotations += std::max<int64_t>(0, rotations_of_[id.index] - times);
    }
    count_inputs();
    return counts_;
  }

 private:
  [[nodiscard]] auto is_cipher(NodeId id) const -> bool { return facts_.is_cipher[id.index]; }

  [[nodiscard]] auto values(const std::vector<circuit::LoopId>& loops) const -> int64_t {
    return static_cast<int64_t>(circuit::n_values(circuit_, loops));
  }

  void finish(size_t statement) {
    Depth depth = depths_[circuit_.statements[statement].root.index];
    statement_depths_[statement] = depth;
    counts_.depth = std::max(counts_.depth, depth.products);
    counts_.plain_depth = std::max(counts_.plain_depth, depth.plain_products);
  }

  /// A plaintext result is added to an encryption of zero.
  void count_outputs() {
    bool is_clear = false;
    for (const circuit::Output& output : circuit_.outputs) {
      const circuit::Statement& source = circuit_.statements[output.statement];
      int64_t n = values(source.loops);
      counts_.output_ciphers += n;
      if (!is_cipher(source.root)) {
        is_clear = true;
        counts_.plains += n;
        counts_.plain_additions += n;
      }
    }
    counts_.input_ciphers += is_clear ? 1 : 0;
  }

  void count_inputs() {
    std::vector<bool> seen(circuit_.families.size(), false);
    for (NodeId id : facts_.order.nodes) {
      const Node& node = circuit_.nodes[id];
      if (node.kind == NodeKind::Input && is_cipher(id) && !seen[node.family.index]) {
        seen[node.family.index] = true;
        int64_t count = 1;
        for (const engine::HeDimension& dimension : circuit_.families[node.family].dimensions) {
          count *= dimension.extent;
        }
        counts_.input_ciphers += count;
      }
    }
  }

  /// A clear vector meets a ciphertext: it is encoded, once for each of its values.
  void meet(NodeId id) {
    if (!met_[id.index]) {
      met_[id.index] = true;
      counts_.plains += values(facts_.loops[id.index]);
    }
  }

  void visit(NodeId id) {
    const Node& node = circuit_.nodes[id];
    if (!is_cipher(id)) {
      return;
    }
    Depth& depth = depths_[id.index];
    int64_t times = values(facts_.loops[id.index]);
    switch (node.kind) {
      case NodeKind::Constant:
      case NodeKind::Input:
        return;
      case NodeKind::Result:
        depth = statement_depths_[node.statement];
        return;
      case NodeKind::Add:
      case NodeKind::Subtract:
      case NodeKind::Multiply:
        visit_operation(node, times, depth);
        return;
      case NodeKind::Rotate: {
        depth = depths_[node.a.index];
        int64_t still = n_still(circuit_, node.formulas[0]);
        int64_t per_formula = 1;
        for (const circuit::LoopTerm& term : node.formulas[0].terms) {
          per_formula *= circuit_.loops[term.loop].extent;
        }
        int64_t moving = times - times / per_formula * still;
        counts_.rotations += moving;
        rotations_of_[node.a.index] += moving;
        return;
      }
      case NodeKind::SwapRows:
        depth = depths_[node.a.index];
        counts_.rotations += times;
        counts_.row_swaps += times;
        return;
      case NodeKind::Sum:
        depth = depths_[node.a.index];
        counts_.additions += times * (circuit_.loops[node.loop].extent - 1);
        return;
      case NodeKind::Product: {
        int64_t extent = circuit_.loops[node.loop].extent;
        depth = depths_[node.a.index];
        depth.products += circuit::tree_depth(extent);
        counts_.products += times * (extent - 1);
        return;
      }
    }
  }

  void visit_operation(const Node& node, int64_t times, Depth& depth) {
    bool is_product = node.kind == NodeKind::Multiply;
    depth = max_of(depths_[node.a.index], depths_[node.b.index]);
    if (is_cipher(node.a) && is_cipher(node.b)) {
      (is_product ? counts_.products : counts_.additions) += times;
      counts_.squares += is_product && node.a == node.b ? times : 0;
      depth.products += is_product ? 1 : 0;
      return;
    }
    NodeId clear = is_cipher(node.a) ? node.b : node.a;
    const Node& factor = circuit_.nodes[clear];
    if (is_product && factor.kind == NodeKind::Constant && factor.number == -1) {
      return;
    }
    meet(clear);
    (is_product ? counts_.plain_products : counts_.plain_additions) += times;
    depth.plain_products += is_product ? 1 : 0;
  }

  const Circuit& circuit_;
  NodeFacts facts_;
  std::vector<Depth> depths_;            ///< by node
  std::vector<Depth> statement_depths_;  ///< by statement
  std::vector<bool> met_;                ///< by node
  std::vector<int64_t> rotations_of_;    ///< by node
  Counts counts_;
};

}  // namespace

auto count(const Circuit& circuit) -> Counts {
  return Counter(circuit).run();
}

auto time_of(const Counts& counts, const RingCost& ring) -> double {
  auto times = [](int64_t n, double cost) { return static_cast<double>(n) * cost; };
  double depth =
      static_cast<double>(counts.depth) + times(counts.plain_depth, ring.depth_of_plain_product);
  if (depth > ring.most_depth) {
    return std::numeric_limits<double>::infinity();
  }
  return times(counts.input_ciphers, ring.input_cipher) + times(counts.plains, ring.plain) +
         times(counts.output_ciphers, ring.output_cipher) +
         times(counts.rotations - counts.hoisted_rotations, ring.rotation) +
         times(counts.hoisted_rotations, ring.hoisted_rotation) +
         times(counts.products, ring.product) + times(counts.plain_products, ring.plain_product) +
         times(counts.additions, ring.addition) +
         times(counts.plain_additions, ring.plain_addition) + times(counts.depth, ring.depth);
}

auto published_rings() -> std::vector<RingCost> {
  std::vector<RingCost> rings;
  for (uint32_t n_columns : {2048U, 4096U, 8192U, 16384U}) {
    circuit::Weights weights = circuit::recto_myers_weights(n_columns);
    RingCost cost;
    cost.n_columns = n_columns;
    cost.input_cipher = weights.input_ciphertext;
    cost.plain = weights.input_plaintext;
    cost.output_cipher = weights.output_ciphertext;
    cost.rotation = weights.rotation;
    cost.hoisted_rotation = weights.hoisted_rotation;
    cost.product = weights.ct_ct_product;
    cost.plain_product = weights.ct_pt_product;
    cost.addition = weights.ct_ct_addition;
    cost.plain_addition = weights.ct_pt_addition;
    cost.depth = weights.depth;
    cost.most_depth = std::numeric_limits<double>::max();
    rings.push_back(cost);
  }
  return rings;
}

static auto as_array(const Counts& c) -> std::array<int64_t, 12> {
  return {
      c.input_ciphers,     c.plains,          c.output_ciphers, c.rotations - c.hoisted_rotations,
      c.hoisted_rotations, c.row_swaps,       c.products,       c.plain_products,
      c.additions,         c.plain_additions, c.depth,          c.plain_depth};
}

auto dominates(const Counts& a, const Counts& b) -> bool {
  auto x = as_array(a);
  auto y = as_array(b);
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] > y[i]) {
      return false;
    }
  }
  return true;
}

}  // namespace tacet::schedule
