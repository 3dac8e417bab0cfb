#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "compiler/spec/program/frontend.h"

/// What functions cost that are computed bit by bit.
namespace tacet::he_views {

struct CircuitCosts {
  /// None if the circuit is too large to be made while somebody waits.
  bool is_known = false;
  size_t n_bootstraps = 0;  ///< optimised
  size_t depth = 0;
  double log2_failure = 0;
  double key_megabytes = 0;  ///< of the evaluation key, as it is sent
  /// Estimated on two threads, keys not included.
  double milliseconds = 0;

  friend auto operator==(const CircuitCosts&, const CircuitCosts&) -> bool = default;
};

/// Query: the costs of a device function under CGGI. Null if it has no circuit. Half a second for
/// the largest circuits that it makes.
struct CircuitCostsOfItem {
  static constexpr std::string_view kName = "circuit_costs_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const CircuitCosts>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// `244 bootstraps · depth 77 · 11.4 MB key · ~0.4 s`
auto summary(const CircuitCosts& costs) -> std::string;

}  // namespace tacet::he_views
