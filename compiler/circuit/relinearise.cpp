#include "compiler/circuit/relinearise.h"

#include <algorithm>
#include <limits>

namespace tacet::circuit {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Maximum flow by blocking flows in layers (Dinic's algorithm).
class Flow {
 public:
  explicit Flow(size_t n_vertices) : edges_of_(n_vertices), level_(n_vertices), next_(n_vertices) {}

  void add_edge(size_t from, size_t to, double capacity) {
    edges_of_[from].push_back(edges_.size());
    edges_.push_back({.to = to, .rest = capacity});
    edges_of_[to].push_back(edges_.size());
    edges_.push_back({.to = from, .rest = 0});
  }

  /// Which vertices are on the source's side of a minimum cut, the smallest such side.
  auto source_side(size_t source, size_t sink) -> std::vector<bool> {
    while (find_levels(source, sink)) {
      std::fill(next_.begin(), next_.end(), 0);
      while (push(source, sink)) {
      }
    }
    std::vector<bool> side(level_.size());
    for (size_t v = 0; v < side.size(); ++v) {
      side[v] = level_[v] != kUnreached;
    }
    return side;
  }

 private:
  static constexpr size_t kUnreached = static_cast<size_t>(-1);

  struct Edge {
    size_t to = 0;
    double rest = 0;  ///< its twin in the other direction is its neighbour in the list
  };

  auto find_levels(size_t source, size_t sink) -> bool {
    std::fill(level_.begin(), level_.end(), kUnreached);
    std::vector<size_t> queue{source};
    level_[source] = 0;
    for (size_t i = 0; i < queue.size(); ++i) {
      for (const size_t e : edges_of_[queue[i]]) {
        if (edges_[e].rest > 0 && level_[edges_[e].to] == kUnreached) {
          level_[edges_[e].to] = level_[queue[i]] + 1;
          queue.push_back(edges_[e].to);
        }
      }
    }
    return level_[sink] != kUnreached;
  }

  /// One more way from source to sink through the layers, filled.
  auto push(size_t source, size_t sink) -> bool {
    std::vector<size_t> way;
    size_t v = source;
    while (v != sink) {
      size_t& i = next_[v];
      while (i < edges_of_[v].size() && !leads_on(v, edges_of_[v][i])) {
        ++i;
      }
      if (i < edges_of_[v].size()) {
        way.push_back(edges_of_[v][i]);
        v = edges_[way.back()].to;
      } else if (way.empty()) {
        return false;
      } else {
        v = edges_[way.back() ^ 1].to;
        way.pop_back();
        ++next_[v];
      }
    }
    double amount = kInfinite;
    for (const size_t e : way) {
      amount = std::min(amount, edges_[e].rest);
    }
    for (const size_t e : way) {
      edges_[e].rest -= amount;
      edges_[e ^ 1].rest += amount;
    }
    return true;
  }

  auto leads_on(size_t from, size_t e) const -> bool {
    return edges_[e].rest > 0 && level_[edges_[e].to] == level_[from] + 1;
  }

  std::vector<Edge> edges_;
  std::vector<std::vector<size_t>> edges_of_;
  std::vector<size_t> level_, next_;
};

class Planner {
 public:
  Planner(const Circuit& circuit, const NodeFacts& facts)
      : circuit_(circuit), facts_(facts), flow_(2 * circuit.nodes.size() + 2) {}

  auto run() -> std::vector<bool> {
    for (const NodeId id : facts_.order.nodes) {
      if (facts_.is_cipher[id.index] && circuit_.nodes[id].kind != NodeKind::Result) {
        add(id);
      }
    }
    const std::vector<bool> is_two = flow_.source_side(source(), sink());
    std::vector<bool> result(circuit_.nodes.size());
    for (const NodeId id : facts_.order.nodes) {
      result[id.index] = is_two[before(id)] && !is_two[after(id)];
    }
    return result;
  }

 private:
  static auto before(NodeId id) -> size_t { return 2 * size_t{id.index}; }
  /// Results have the degree of what they are results of.
  auto after(NodeId id) const -> size_t {
    while (circuit_.nodes[id].kind == NodeKind::Result) {
      id = circuit_.statements[circuit_.nodes[id].statement].root;
    }
    return before(id) + 1;
  }
  auto source() const -> size_t { return 2 * circuit_.nodes.size(); }
  auto sink() const -> size_t { return source() + 1; }

  void add(NodeId id) {
    const Node& node = circuit_.nodes[id];
    flow_.add_edge(before(id), after(id), n_values(circuit_, facts_.loops[id.index]));
    flow_.add_edge(after(id), before(id), kInfinite);
    const bool is_of_ciphers =
        node.b.has_value() && facts_.is_cipher[node.a.index] && facts_.is_cipher[node.b.index];
    switch (node.kind) {
      case NodeKind::Rotate:
      case NodeKind::SwapRows:
        want_one(node.a);
        flow_.add_edge(before(id), sink(), kInfinite);
        break;
      case NodeKind::Product:
        want_one(node.a);
        if (circuit_.loops[node.loop].extent > 1) {
          flow_.add_edge(source(), before(id), kInfinite);
        }
        break;
      case NodeKind::Multiply:
        if (is_of_ciphers) {
          want_one(node.a);
          want_one(node.b);
          flow_.add_edge(source(), before(id), kInfinite);
          break;
        }
        [[fallthrough]];
      case NodeKind::Add:
      case NodeKind::Subtract:
      case NodeKind::Sum:
        for (const NodeId operand : {node.a, node.b}) {
          if (operand.has_value() && facts_.is_cipher[operand.index]) {
            flow_.add_edge(after(operand), before(id), kInfinite);
          }
        }
        break;
      case NodeKind::Constant:
      case NodeKind::Input:
      case NodeKind::Result:
        flow_.add_edge(before(id), sink(), kInfinite);
        break;
    }
  }

  void want_one(NodeId id) { flow_.add_edge(after(id), sink(), kInfinite); }

  const Circuit& circuit_;
  const NodeFacts& facts_;
  Flow flow_;
};

}  // namespace

auto place_relinearisations(const Circuit& circuit, const NodeFacts& facts) -> std::vector<bool> {
  return Planner(circuit, facts).run();
}

}  // namespace tacet::circuit
