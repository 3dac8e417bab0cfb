#pragma once

#include "engine/he_runtime/plan.h"

namespace tacet::engine {

/// What a rank does of a plan, in numbers of its nodes.
struct PlanShare {
  std::vector<uint32_t> nodes;     ///< ciphertexts that it makes, in the order to prefer
  std::vector<uint32_t> received;  ///< that others make and it needs, rising
  /// What it sends: the node, and to which ranks.
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> sent;
  bool is_root = false;  ///< it has the outputs
};

/// A plan for one rank.
struct RankPlan {
  Plan plan;
  /// Of each node of the whole plan, that of this one, or `kNoNode`.
  std::vector<uint32_t> local;
};

/// The part of a program's plan that a rank runs: with the clear nodes and the digits that it
/// needs, and `Received` in place of others' ciphertexts.
auto rank_plan(const HeProgram& program, const Plan& plan, const PlanShare& share) -> RankPlan;

}  // namespace tacet::engine
