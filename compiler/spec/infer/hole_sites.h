#pragma once

#include <string_view>
#include <vector>

#include "compiler/spec/infer/function_facts.h"

namespace tacet::infer {

/// A variable that is in scope.
struct Available {
  uint32_t local = 0;
  std::string_view name;
  types::TypeId type = {};
  /// Where it, or what it refers to, is kept; none for what never changes.
  hir::PlaceId place = {};
  bool is_var = false;
  /// False for a `var` that nothing has been put into.
  bool has_value = false;
  /// What it holds, where that is known.
  SpecNodeId node = {};
};

/// A hole and what is at hand there.
struct HoleSite {
  uint32_t node = hir::kNoNode;
  hir::InstructionId hole;
  std::vector<Available> at_hand = {};
};

/// The holes of a function in the order of the text.
auto hole_sites(query::Context& context, const FunctionFacts& facts) -> std::vector<HoleSite>;

}  // namespace tacet::infer
