#pragma once

#include <vector>

#include "compiler/core/query/context.h"
#include "compiler/front/names/item.h"

namespace tacet::names {

/// Moves reasons that count from the beginning of items, which are their files, to the files of
/// these items.
void place_reasons(query::Context& context, std::vector<Reason>& reasons);

}  // namespace tacet::names
