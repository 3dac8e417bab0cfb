#pragma once

#include <string>
#include <vector>

#include "compiler/spec/infer/function_facts.h"

namespace tacet::infer {

/// What may be written for a hole.
struct Filling {
  TextRange replaced;  ///< in the function's tree
  std::string text;
  /// Its cost: only good for comparing.
  uint32_t cost = 0;

  friend auto operator==(const Filling&, const Filling&) -> bool = default;
};

/// `?` or `???`, and what the specification says of it.
struct Hole {
  uint32_t node = hir::kNoNode;
  /// What it must compute; none where nothing says so.
  std::vector<SpecNodeId> wanted = {};
  std::vector<types::TypeId> types = {};
  /// Cheapest first.
  std::vector<Filling> fillings = {};
  /// Why there are none.
  std::string problem = {};
};

/// The holes of a function in the order of the text. `?` is a variable that holds the node that is
/// needed, else the expression of the specification; `???` are the statements that compute all
/// that is used behind it and declared nowhere, or all that is to be yielded.
auto holes_of(query::Context& context, const FunctionFacts& facts) -> std::vector<Hole>;

}  // namespace tacet::infer
