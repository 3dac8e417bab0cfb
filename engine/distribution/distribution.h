#pragma once

#include "engine/distribution/work_graph.h"

namespace tacet::engine::distribution {

/// A value that is sent to a machine, by the one that made it, as soon as it is made.
struct Sending {
  uint32_t node = 0;
  uint32_t to = 0;

  friend auto operator==(const Sending&, const Sending&) -> bool = default;
};

/// What one machine does.
struct Share {
  /// That it makes, the root's with the inputs, in the order in which it prefers to make them:
  /// first what other machines wait for, then the rest, both rising.
  std::vector<uint32_t> nodes;
  std::vector<Sending> sendings;  ///< by node, then by receiver
  std::vector<uint32_t> keys;     ///< that it needs, rising

  friend auto operator==(const Share&, const Share&) -> bool = default;
};

/// Who does what. Nodes that no output depends on are made by nobody.
struct Distribution {
  std::vector<Share> shares;  ///< by rank

  friend auto operator==(const Distribution&, const Distribution&) -> bool = default;
};

/// What a distribution costs by the model.
struct Prediction {
  double microseconds = 0;                ///< until the root has all outputs
  std::vector<double> work_microseconds;  ///< by rank, on one thread
  uint64_t bytes = 0;                     ///< between machines; keys apart
  uint64_t n_messages = 0;
  uint64_t key_bytes = 0;  ///< to machines other than the root

  /// The most work of a machine, as a part of the mean, minus 1.
  [[nodiscard]] auto imbalance() const -> double;
};

/// Spreads the work. Four ways are compared by their predicted time, then, within five percent, by
/// their bytes: parts of the graph that have nothing but inputs in common, by decreasing work, each
/// to the machine that has the least; pieces of equal work, in the order of the program or by the
/// depth-first order of what outputs need; list scheduling by the length of the path to the end;
/// and all at the root. What is found is refined by moving single nodes to where their neighbours
/// are, if no machine gets more work than the one that has the most. Equal arguments give equal
/// results. O(nodes · ranks), but for logarithms.
auto distribute(const WorkGraph& graph, const Machines& machines) -> Distribution;

/// Runs a distribution by the model: a machine makes the first node that it can make; sends and
/// receives one message at a time.
auto predict(const WorkGraph& graph, const Distribution& distribution, const Machines& machines)
    -> Prediction;

}  // namespace tacet::engine::distribution
