#pragma once

#include <span>

#include "compiler/front/names/item.h"

/// Instances of functions with size and type parameters, and of those that take functions, are
/// items: the function's key, with the values of its sizes, its types and the functions. Their
/// syntax is that of the function, a size parameter is a constant item whose parent is the
/// instance, and a call of a parameter is one of the function that it is. So everything that takes
/// an item takes an instance. An instance with types alone may have open sizes and functions.
namespace tacet::names {

/// The instance of `function` with these sizes, and the types that it has.
auto instance_of(ItemTable& table, ItemId function, std::span<const int64_t> sizes) -> ItemId;

/// The instance of `function` with these types, and the sizes that it has.
auto instance_with_types(ItemTable& table, ItemId function, std::span<const Name> types) -> ItemId;

/// The instance of `function` that is passed these functions, and the sizes and types that it has.
auto instance_with_functions(ItemTable& table, ItemId function,
                             std::span<const FunctionValue> functions) -> ItemId;

/// The function that `item` is an instance of; `item` itself if it is none.
auto generic_of(ItemTable& table, ItemId item) -> ItemId;

/// Has it the sizes, types or functions of an instance?
auto is_instance(const ItemKey& key) -> bool;

/// The constant that is the `ordinal`th size of an instance.
auto size_item(ItemTable& table, ItemId instance, Name name, uint32_t ordinal) -> ItemId;

/// Is it such a constant?
auto is_size(const ItemKey& key) -> bool;

}  // namespace tacet::names
