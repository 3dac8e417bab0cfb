#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "compiler/spec/program/frontend.h"

namespace tacet::he_views {

/// Query: where a function that is computed bit by bit costs more than it has to, as diagnostics by
/// offsets in the item's tree. They are rules of the linter:
///  * T5021: parameters that are indices, and wider than their arrays, by compiling the function
///  again
///    with a range;
///  * T5022: reads of constant tables that cost a third more than an expression of the index.
/// Nothing for functions above `kMostGatesAtOnce`. As slow as compiling the function some times.
struct CircuitAdviceOfItem {
  static constexpr std::string_view kName = "circuit_advice_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const std::vector<Diagnostic>>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::he_views
