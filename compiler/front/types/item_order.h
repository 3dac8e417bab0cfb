#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "compiler/front/names/queries.h"

namespace tacet::types {

/// The items of one kind in a file, each behind those of the same file that it is made of.
struct ItemOrder {
  std::vector<names::ItemId> items;
  /// Those made of themselves, straight or through others; sorted.
  std::vector<names::ItemId> cyclic;

  [[nodiscard]] auto is_cyclic(names::ItemId item) const -> bool {
    return std::binary_search(cyclic.begin(), cyclic.end(), item);
  }

  friend auto operator==(const ItemOrder&, const ItemOrder&) -> bool = default;
};

/// Query: the order of a file's `type` items.
struct AliasOrderOfFile {
  static constexpr std::string_view kName = "alias_order_of_file";
  using Key = FileId;
  using Value = std::shared_ptr<const ItemOrder>;
  static auto compute(query::Context& context, const Key& file) -> Value;
  static auto equal(const Value& a, const Value& b) -> bool { return *a == *b; }
};

/// Query: the order of a file's `const` items.
struct ConstantOrderOfFile {
  static constexpr std::string_view kName = "constant_order_of_file";
  using Key = FileId;
  using Value = std::shared_ptr<const ItemOrder>;
  static auto compute(query::Context& context, const Key& file) -> Value;
  static auto equal(const Value& a, const Value& b) -> bool { return *a == *b; }
};

/// A shortest path from `start`, a constant or type that `order` knows as cyclic, through others
/// back to it; `start` stands first and not again at the end. Empty if it is longer than a person
/// reads.
auto find_cycle(query::Context& context, const ItemOrder& order, names::ItemId start)
    -> std::vector<names::ItemId>;

}  // namespace tacet::types
