#pragma once

#include <memory>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/names/item.h"

/// Who calls whom among coordinator functions.
namespace tacet::leakage {

/// Query: the coordinator functions that an item calls, sorted; empty for other items.
struct CalleesOf {
  static constexpr std::string_view kName = "coordinator_callees";
  using Key = names::ItemId;
  using Value = std::vector<names::ItemId>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// The coordinator functions of a file by their calls.
struct CallOrder {
  std::vector<names::ItemId> items;  ///< each behind those that it calls, but for circles
  /// Those that call one another in a circle, each group sorted.
  std::vector<std::vector<names::ItemId>> circles;

  friend auto operator==(const CallOrder&, const CallOrder&) -> bool = default;
};

/// Query: the call order of a file. Imports have no cycles, so no circle of calls leaves the file.
struct CallOrderOfFile {
  static constexpr std::string_view kName = "coordinator_call_order";
  using Key = FileId;
  using Value = std::shared_ptr<const CallOrder>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

}  // namespace tacet::leakage
