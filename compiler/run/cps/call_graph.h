#pragma once

#include <cstdint>
#include <vector>

/// Where recursion is interrupted.
namespace tacet::cps {

/// Who calls whom: functions are numbers from 0.
struct CallGraph {
  struct Edge {
    uint32_t caller = 0;
    uint32_t callee = 0;
    /// How many calls in the text stand for it.
    uint32_t n_calls = 1;
  };
  uint32_t n_functions = 0;
  std::vector<Edge> edges;  ///< each pair once
};

/// Largest strongly connected component that is solved exactly.
inline constexpr uint32_t kMaxExactComponent = 14;

/// The edges, as indices, whose calls hand control to the host first: without them nothing is
/// recursive. Per strongly connected component that is a minimum feedback arc set, of the sets
/// with the fewest edges one with the fewest calls, for components of up to `kMaxExactComponent`
/// functions (dynamic programming over orders of the functions, Held and Karp 1962: O(2^n n^2)).
/// Larger ones take the back edges of a depth-first search and then leave out, in sequence, those
/// without which the rest is free of cycles too: a minimal set, not always a minimum one. Depends
/// on the numbers of the functions alone. Sorted.
auto yield_edges(const CallGraph& graph) -> std::vector<uint32_t>;

}  // namespace tacet::cps
