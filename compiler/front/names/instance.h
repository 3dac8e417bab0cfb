#pragma once

#include <span>

#include "compiler/front/names/item.h"

/// Instances of functions with size and type parameters are items: the function's key, with the
/// values of its sizes and its types. Their syntax is that of the function, and a size parameter is
/// a constant item whose parent is the instance. So everything that takes an item takes an
/// instance. An instance with types alone may have open sizes.
namespace tacet::names {

/// The instance of `function` with these sizes, and the types that it has.
auto instance_of(ItemTable& table, ItemId function, std::span<const int64_t> sizes) -> ItemId;

/// The instance of `function` with these types, and the sizes that it has.
auto instance_with_types(ItemTable& table, ItemId function, std::span<const Name> types) -> ItemId;

/// The function that `item` is an instance of; `item` itself if it is none.
auto generic_of(ItemTable& table, ItemId item) -> ItemId;

/// Has it the sizes or types of an instance?
auto is_instance(const ItemKey& key) -> bool;

/// The constant that is the `ordinal`th size of an instance.
auto size_item(ItemTable& table, ItemId instance, Name name, uint32_t ordinal) -> ItemId;

/// Is it such a constant?
auto is_size(const ItemKey& key) -> bool;

}  // namespace tacet::names
