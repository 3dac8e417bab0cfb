#pragma once

#include <vector>

#include "compiler/names/queries.h"

namespace tacet::types {

/// The items of one kind in a file, each behind those of the same file that it is made of.
struct ItemOrder {
  std::vector<names::ItemId> items;
  /// By place in `items`: it is made of itself.
  std::vector<bool> is_cyclic;
};

/// Orders the `kind` items (constants or types) of a file. However long the chains are that they
/// form, the order is found with a stack of its own, and so can be worked through without one.
auto order_items(query::Context& context, FileId file, names::ItemKind kind) -> ItemOrder;

}  // namespace tacet::types
