#pragma once

#include <string>

#include "compiler/front/names/item.h"

namespace tacet::names {

/// The name of an item; of an instance with what it is passed, its types and sizes: `dot'<fxp, 8>`,
/// `map'<double, i64, i64, 4>`.
auto instance_name(const Interner& interner, const ItemKey& key) -> std::string;

/// `'<fxp, 8>`; nothing of other items.
auto instance_values(const Interner& interner, const ItemKey& key) -> std::string;

}  // namespace tacet::names
