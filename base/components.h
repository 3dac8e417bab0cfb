#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tacet {

/// The strongly connected components of a graph whose nodes are numbers from 0, each behind those
/// that it reaches. `edges[i]` are the nodes that `i` leads to. Tarjan, "Depth-first search and
/// linear graph algorithms" (1972), without recursion. O(nodes + edges).
auto strong_components(std::span<const std::vector<uint32_t>> edges)
    -> std::vector<std::vector<uint32_t>>;

/// Is there a path from a node of the component back to it?
auto is_cyclic(std::span<const std::vector<uint32_t>> edges, const std::vector<uint32_t>& component)
    -> bool;

}  // namespace tacet
