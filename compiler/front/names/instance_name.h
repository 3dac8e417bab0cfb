#pragma once

#include <string>

#include "compiler/front/names/item.h"

namespace tacet::names {

/// The name of an item; of an instance with its sizes: `dot'<8>`.
auto instance_name(const Interner& interner, const ItemKey& key) -> std::string;

}  // namespace tacet::names
