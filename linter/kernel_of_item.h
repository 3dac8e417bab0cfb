#pragma once

#include <optional>

#include "compiler/core/query/database.h"
#include "compiler/device/kernel/lower.h"
#include "compiler/front/names/item.h"

namespace tacet::linter {

/// The kernel of a device function without errors, its places in items; none for anything else.
auto kernel_of_item(query::Context& context, names::ItemId item) -> std::optional<kernel::Kernel>;
/// The same with what was inlined.
auto lowering_of_item(query::Context& context, names::ItemId item) -> kernel::Lowering;

}  // namespace tacet::linter
