#pragma once

#include "compiler/core/query/database.h"
#include "compiler/front/names/item.h"

namespace tacet::program {

/// Whether a function, constant or array program can be lowered: it and the functions and
/// constants that it mentions, directly or not, have no errors, no unknown names and no unknown
/// types in their heads. An unknown name alone is not always an error: it may be that of an item
/// with a mistake, which is reported there.
///
/// Takes time in what is mentioned.
auto can_be_lowered(query::Context& context, names::ItemId item) -> bool;

}  // namespace tacet::program
