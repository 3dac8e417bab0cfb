#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace tacet::relinearise {

/// A directed graph with capacities, for one question: which side of a minimum cut vertices are on.
///
/// Maximum flow by blocking flows in layers (Dinic, Algorithm for solution of a problem of maximum
/// flow in networks with power estimation, 1970).
class MinimumCut {
 public:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  explicit MinimumCut(size_t n_vertices);

  /// Edges of no capacity are left out.
  void add_edge(size_t from, size_t to, double capacity);

  /// Which vertices are on the source's side of a minimum cut: of all the smallest such side. No
  /// path of infinite edges leads from source to sink. To be called once.
  auto source_side(size_t source, size_t sink) -> std::vector<bool>;

 private:
  static constexpr size_t kUnreached = static_cast<size_t>(-1);

  struct Edge {
    size_t to = 0;
    double rest = 0;  ///< its twin in the other direction is its neighbour in the list
  };

  auto find_levels(size_t source, size_t sink) -> bool;
  auto push(size_t source, size_t sink) -> bool;
  [[nodiscard]] auto leads_on(size_t from, size_t edge) const -> bool;

  std::vector<Edge> edges_;
  std::vector<std::vector<size_t>> edges_of_;
  std::vector<size_t> level_, next_;
};

}  // namespace tacet::relinearise
