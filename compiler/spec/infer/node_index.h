#pragma once

#include <vector>

#include "compiler/spec/infer/function_facts.h"

namespace tacet::infer {

/// What the graph of a function has at a node of the function's tree.
struct AtNode {
  /// Of a literal, call, hole, annotation, or one that has to do with devices.
  hir::InstructionId instruction;
  hir::BlockId branch;  ///< that ends with the choice of this `if`
  hir::ValueId value;   ///< what the name here stands for, or the variable that is declared
  std::vector<hir::InstructionId> stores;
  hir::PlaceId place;  ///< of the variable that is declared here, or of what it refers to
  uint32_t tag_use = hir::kNoNode;  ///< of `tags`: in `Function::tags`
  /// It is or has what ends a part: an `if`, a call of a function.
  bool has_boundary = false;
  /// A value that tags follow.
  bool is_tagged = false;
};

/// By node of the function's tree.
auto index_nodes(query::Context& context, const FunctionFacts& facts) -> std::vector<AtNode>;

/// True for the functions that the coordinator runs: a call of one ends a part.
auto is_function(query::Context& context, names::ItemId item) -> bool;

}  // namespace tacet::infer
