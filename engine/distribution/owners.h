#pragma once

#include "engine/distribution/distribution.h"

namespace tacet::engine::distribution {

/// The rank that makes each node; `kNone` for what no output needs.
using Owners = std::vector<uint32_t>;

/// Which nodes outputs depend on.
auto find_needed(const WorkGraph& graph) -> std::vector<bool>;

/// The shares, with all that follows from who makes what.
auto shares_of(const WorkGraph& graph, const Owners& owners, uint32_t n_ranks) -> Distribution;

/// The work of each rank on one thread, with that of its messages.
auto work_of(const WorkGraph& graph, const Owners& owners, uint32_t n_ranks) -> std::vector<double>;

/// Parts of the graph that have nothing but inputs in common, whole, by decreasing work to the rank
/// with the least; of several within a hundredth of the mean work, to the one that has most of
/// their inputs.
auto assign_parts(const WorkGraph& graph, const std::vector<bool>& is_needed, uint32_t n_ranks)
    -> Owners;

/// Pieces of equal work of the nodes in this order. A piece ends where a part does if one ends
/// within a fiftieth of its work.
auto assign_pieces(const WorkGraph& graph, const std::vector<uint32_t>& order, uint32_t n_ranks)
    -> Owners;

/// The nodes that are needed, part by part; within a part rising.
auto program_order(const WorkGraph& graph, const std::vector<bool>& is_needed)
    -> std::vector<uint32_t>;
/// The same, each node right behind the operands that nothing before it needed.
auto depth_first_order(const WorkGraph& graph, const std::vector<bool>& is_needed)
    -> std::vector<uint32_t>;

/// List scheduling: nodes by decreasing length of the path to the end, messages included, each to
/// the machine where it is done first.
auto assign_by_lists(const WorkGraph& graph, const std::vector<bool>& is_needed,
                     const Machines& machines) -> Owners;

/// Moves nodes to ranks of their neighbours where that saves bytes, and gives no rank more than
/// `most_work`.
void refine(const WorkGraph& graph, Owners& owners, uint32_t n_ranks, double most_work);

}  // namespace tacet::engine::distribution
