#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/intern_table.h"
#include "base/interner.h"
#include "compiler/core/diagnostics/diagnostic.h"

/// Items and what their names mean. Results are keyed by items, not by positions, so that
/// typing above an item or in the body of another changes nothing about it.
namespace tacet::names {

/// What a file declares at its top level or inside a `feq`.
enum class ItemKind : uint8_t {
  Val,
  Tmln,
  Sptl,
  Extern,
  Feq,
  Fn,
  Type,
  Const,
  Party,
  Pipeline,
  Import,
  Test,
  Input,    ///< `input a: [4] from client` of an array program
  Program,  ///< the result expression of an array program: what runs
};

/// `val`, `feq`, `array program`: the kind in a message.
auto kind_text(ItemKind kind) -> std::string_view;

struct ItemTag;
using ItemId = Id<ItemTag>;

/// A function that is passed to another.
struct FunctionValue {
  ItemId item;  ///< none: a built-in function
  Name name;

  friend auto operator==(const FunctionValue&, const FunctionValue&) -> bool = default;
};

/// What makes an item the same item after an edit.
struct ItemKey {
  FileId file;
  ItemKind kind = ItemKind::Val;
  /// No name where the text lacks one. The program of a `.tlhe` file has its module's name.
  Name name;
  /// Counts items of equal kind and name under one parent, from 0.
  uint32_t ordinal = 0;
  /// The `feq` that the item is a member of, or none. Of a size: the instance that gives it.
  ItemId parent;
  /// Of an instance of a function with size parameters: their values, in order.
  std::vector<int64_t> sizes = {};
  /// Of an instance of a function with type parameters: the types as they are written, in order.
  std::vector<Name> types = {};
  /// Of an instance of a function that takes functions: what they are, in order.
  std::vector<FunctionValue> functions = {};

  friend auto operator==(const ItemKey&, const ItemKey&) -> bool = default;
};

struct ItemKeyHash {
  auto operator()(const ItemKey& key) const -> size_t {
    uint64_t hash = hash_combine(key.file.index, static_cast<uint64_t>(key.kind));
    hash = hash_combine(hash, key.name.index);
    hash = hash_combine(hash, key.ordinal);
    for (const int64_t size : key.sizes) {
      hash = hash_combine(hash, static_cast<uint64_t>(size));
    }
    for (const Name type : key.types) {
      hash = hash_combine(hash, type.index);
    }
    for (const FunctionValue& function : key.functions) {
      hash = hash_combine(hash, hash_combine(function.item.index, function.name.index));
    }
    return static_cast<size_t>(hash_combine(hash, key.parent.index));
  }
};

/// All items that were ever seen. A service of the database.
using ItemTable = InternTable<ItemId, ItemKey, ItemKeyHash>;

constexpr auto is_specification(ItemKind kind) -> bool {
  return kind == ItemKind::Val || kind == ItemKind::Tmln || kind == ItemKind::Sptl;
}

}  // namespace tacet::names
