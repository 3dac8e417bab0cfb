#pragma once

#include <memory>
#include <vector>

#include "compiler/front/flow/flow.h"
#include "compiler/front/flow/place_states.h"
#include "compiler/front/hir/build.h"

namespace tacet::flow {

/// The flow of everything in a function, at every place: for those who show it.
///
/// Blocks and places are those of the function as built (`hir::FunctionOf`), values also those
/// that are new in reference SSA (`hir::SsaOf`), which keeps the ids of the others.
class FunctionFlows {
 public:
  FunctionFlows(hir::FunctionPtr function, hir::FunctionPtr ssa, const types::TypeStore& types,
                PortFacts ports);

  /// Of what a place holds where control enters or leaves a block: `@in`, `@out`. A variable that
  /// has no value on some path is dead.
  [[nodiscard]] auto at_begin(hir::BlockId block, hir::PlaceId place) const -> Flows;
  [[nodiscard]] auto at_end(hir::BlockId block, hir::PlaceId place) const -> Flows;
  /// Of what a place holds in front of instruction `position` of a block. O(position).
  [[nodiscard]] auto before(hir::BlockId block, size_t position, hir::PlaceId place) const -> Flows;
  /// Of a value on its own: `let`, parameters, parts of expressions.
  [[nodiscard]] auto of_value(hir::ValueId value) const -> Flows { return of_value_[value.index]; }

 private:
  [[nodiscard]] auto flows(const PlaceFact& fact, hir::PlaceId place) const -> Flows;
  void find_values(const hir::Function& ssa);

  hir::FunctionPtr function_;
  const types::TypeStore& types_;
  PlaceProblem problem_;
  hir::BlockFacts<PlaceFact> facts_;
  std::vector<Flows> of_value_;
};

/// Query: the flows of a coordinator function. Null for other items.
struct FlowsOf {
  static constexpr std::string_view kName = "flows_of";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const FunctionFlows>;
  static constexpr bool kEvictable = true;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::flow
