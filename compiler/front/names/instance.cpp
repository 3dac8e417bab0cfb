#include "compiler/front/names/instance.h"

namespace tacet::names {

auto instance_of(ItemTable& table, ItemId function, std::span<const int64_t> sizes) -> ItemId {
  ItemKey key = table[function];
  key.sizes.assign(sizes.begin(), sizes.end());
  return table.intern(key);
}

auto instance_with_types(ItemTable& table, ItemId function, std::span<const Name> types) -> ItemId {
  ItemKey key = table[function];
  key.types.assign(types.begin(), types.end());
  return table.intern(key);
}

auto instance_with_functions(ItemTable& table, ItemId function,
                             std::span<const FunctionValue> functions) -> ItemId {
  ItemKey key = table[function];
  key.functions.assign(functions.begin(), functions.end());
  return table.intern(key);
}

auto generic_of(ItemTable& table, ItemId item) -> ItemId {
  if (!is_instance(table[item])) {
    return item;
  }
  ItemKey key = table[item];
  key.sizes.clear();
  key.types.clear();
  key.functions.clear();
  return table.intern(key);
}

auto is_instance(const ItemKey& key) -> bool {
  return !key.sizes.empty() || !key.types.empty() || !key.functions.empty();
}

auto size_item(ItemTable& table, ItemId instance, Name name, uint32_t ordinal) -> ItemId {
  return table.intern({.file = table[instance].file,
                       .kind = ItemKind::Const,
                       .name = name,
                       .ordinal = ordinal,
                       .parent = instance});
}

auto is_size(const ItemKey& key) -> bool {
  return key.kind == ItemKind::Const && key.parent.has_value();
}

}  // namespace tacet::names
