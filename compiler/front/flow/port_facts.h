#pragma once

#include "compiler/front/flow/place_states.h"
#include "compiler/front/flow/port_flows.h"

namespace tacet::flow {

/// What crosses the border of `function`, as built. Reads its head, the heads of functions that
/// are lent something, and the bodies of those that are lent something to fill.
auto port_facts(query::Context& context, const hir::Function& function) -> PortFacts;

/// Query: which of the parameters with a dead flow a function has stored to on every path to its
/// end, by port. True for the others.
struct FilledParametersOf {
  static constexpr std::string_view kName = "filled_parameters";
  using Key = names::ItemId;
  using Value = std::vector<bool>;
  static auto compute(query::Context& context, const Key& item) -> Value;
  /// Functions that fill a parameter by calling one another are given the benefit of the doubt.
  static auto on_cycle(query::Context&, const Key&) -> Value { return {}; }
};

}  // namespace tacet::flow
