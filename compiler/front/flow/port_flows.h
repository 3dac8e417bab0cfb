#pragma once

#include <memory>
#include <vector>

#include "compiler/front/flow/flow.h"
#include "compiler/front/hir/build.h"

namespace tacet::flow {

/// The flows with which a coordinator function is entered and left, by port.
struct PortFlows {
  std::vector<Flows> parameters;
  std::vector<Flows> results;

  /// False for the parameters that need not hold anything: `out: &i64 @ none(val)-dead`.
  [[nodiscard]] auto has_value(uint32_t parameter) const -> bool {
    return parameter >= parameters.size() || parameters[parameter].val != Flow::Dead;
  }
  [[nodiscard]] auto gives_value(uint32_t result) const -> bool {
    return result >= results.size() || results[result].val != Flow::Dead;
  }

  friend auto operator==(const PortFlows&, const PortFlows&) -> bool = default;
};

/// Query: the flows at the ports of a coordinator function; null for other items. Stated by the
/// tags of its head, and by annotations `@in` that its body begins with: fields of a record
/// parameter have no other place for theirs. Bodies are read for such parameters alone.
struct PortFlowsOf {
  static constexpr std::string_view kName = "port_flows";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const PortFlows>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::flow
