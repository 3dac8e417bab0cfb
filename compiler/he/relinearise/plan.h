#pragma once

#include <optional>

#include "compiler/he/relinearise/graph.h"

namespace tacet::relinearise {

/// Which values are relinearised.
struct Plan {
  std::vector<bool> is_relinearised;  ///< by value
  /// By value and operand, whether it takes what the relinearisation of the operand gave. Empty if
  /// all do (`Uses::Together`).
  std::vector<std::vector<bool>> takes_linear{};

  friend auto operator==(const Plan&, const Plan&) -> bool = default;
};

/// Degrees under a plan, by value.
struct Degrees {
  std::vector<uint32_t> computed;  ///< before a relinearisation
  std::vector<uint32_t> kept;      ///< behind it, or the largest that is still used
};

/// Nothing if the plan breaks the rules. Linear in the graph for each degree.
auto degrees_of(const Graph& graph, const Plan& plan, const Rules& rules) -> std::optional<Degrees>;

/// What a plan costs that keeps to the rules. A value of degree one is relinearised for nothing.
auto cost_of(const Graph& graph, const Plan& plan, const Degrees& degrees) -> double;

/// The plan without relinearisations of what has degree one anyway.
auto without_needless(const Plan& plan, const Degrees& degrees) -> Plan;

/// Relinearises every product at once: what compilers do that do not think about it.
auto place_eagerly(const Graph& graph) -> Plan;

/// Relinearises what can wait no longer: of factors whose product would have too large a degree the
/// larger one, then the first; what is used linearly; operands that must agree and do not. A
/// relinearisation that one use needs serves all of them.
///
/// Values in `first`, if it is not empty, are relinearised to begin with. Goes through the graph
/// until nothing changes, each time linear.
auto place_lazily(const Graph& graph, const Rules& rules, const std::vector<bool>& first = {})
    -> Plan;

}  // namespace tacet::relinearise
