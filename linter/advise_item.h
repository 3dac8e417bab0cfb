#pragma once

#include <memory>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/names/report.h"

namespace tacet::linter {

/// What the text of one item says to rules, by offsets in its tree.
struct ItemAdvice {
  std::vector<names::ItemDiagnostic> findings{};
  /// The other items that it mentions, sorted.
  std::vector<names::ItemId> mentioned{};

  friend auto operator==(const ItemAdvice&, const ItemAdvice&) -> bool = default;
};

/// Query: what rules about texts find in an item. Null for items with mistakes. Levels are not
/// applied, and places in files are not known, as with `FindingsOfItem`.
struct AdviceOfItem {
  static constexpr std::string_view kName = "advice_of_item";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const ItemAdvice>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::linter
