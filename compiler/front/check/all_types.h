#pragma once

#include "compiler/front/check/queries.h"

namespace tacet::check {

/// What is wrong with an item: `first`, and what is wrong with a function with type parameters for
/// other types than the first ones of its bounds. Each finding is there once, with the first types
/// that it is for.
auto for_all_types(query::Context& context, names::ItemId item, ItemDiagnostics first)
    -> ItemDiagnostics;

}  // namespace tacet::check
