#pragma once

#include <string>

#include "compiler/front/names/item.h"

namespace tacet::names {

/// The name of an item; of an instance with its types and sizes: `dot'<fxp, 8>`.
auto instance_name(const Interner& interner, const ItemKey& key) -> std::string;

/// `'<fxp, 8>`; nothing of other items.
auto instance_values(const Interner& interner, const ItemKey& key) -> std::string;

}  // namespace tacet::names
