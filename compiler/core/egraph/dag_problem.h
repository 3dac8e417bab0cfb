#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/core/egraph/extract_dag.h"

namespace tacet::egraph {

/// One choice for a class: a node.
struct DagOption {
  NodeId node;
  double cost = 0;
  uint32_t levels = 0;
  std::vector<uint32_t> children;  // distinct, sorted
};

/// What `extract_dag` solves: the classes that the roots can need, numbered densely, with their
/// choices.
struct DagProblem {
  std::vector<ClassId> ids;
  std::vector<std::vector<DagOption>> options;  // cheapest first
  std::vector<uint32_t> roots;
  std::vector<double> least_cost;            // of a class's options
  std::vector<uint32_t> least_depth;         // of a class's terms
  std::vector<std::vector<uint32_t>> needs;  // what every term of a class contains, itself too
  std::vector<uint32_t> greedy;              // option by class, free of cycles
};

/// Sets up the problem; `std::nullopt` if some root has no finite term.
auto make_dag_problem(const EGraph& graph, std::span<const ClassId> roots, const NodeCost& cost,
                      const DagDepth& depth) -> std::optional<DagProblem>;

}  // namespace tacet::egraph
