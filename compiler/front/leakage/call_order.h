#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "compiler/core/query/database.h"
#include "compiler/front/names/item_chunks.h"

/// Who calls whom among coordinator functions.
namespace tacet::leakage {

/// Query: the coordinator functions that an item calls, sorted; empty for other items.
struct CalleesOf {
  static constexpr std::string_view kName = "coordinator_callees";
  using Key = names::ItemId;
  using Value = std::vector<names::ItemId>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

/// Query: the functions of a chunk, each with its `CalleesOf`.
struct CallsOfChunk {
  static constexpr std::string_view kName = "coordinator_calls_of_chunk";
  static constexpr bool kFlat = true;
  using Key = names::ItemChunk;
  using Calls = std::pair<names::ItemId, std::vector<names::ItemId>>;
  using Value = std::shared_ptr<const std::vector<Calls>>;
  static auto compute(query::Context& context, const Key& chunk) -> Value;
};

/// The coordinator functions of a file by their calls.
struct CallOrder {
  std::vector<names::ItemId> items;  ///< each behind those that it calls, but for circles
  /// Those that call one another in a circle, each group sorted.
  std::vector<std::vector<names::ItemId>> circles;
  /// Which circle each of their members is in, by member.
  std::vector<std::pair<names::ItemId, uint32_t>> members;

  friend auto operator==(const CallOrder&, const CallOrder&) -> bool = default;
};

/// Query: the call order of a file. Imports have no cycles, so no circle of calls leaves the file.
struct CallOrderOfFile {
  static constexpr std::string_view kName = "coordinator_call_order";
  using Key = FileId;
  using Value = std::shared_ptr<const CallOrder>;
  static auto compute(query::Context& context, const Key& file) -> Value;
};

/// Query: the circle of calls that a function is in, sorted; null if it is in none. Stays the same
/// when other functions come and go.
struct CircleOf {
  static constexpr std::string_view kName = "coordinator_circle_of";
  using Key = names::ItemId;
  using Value = std::shared_ptr<const std::vector<names::ItemId>>;
  static auto compute(query::Context& context, const Key& item) -> Value;
};

}  // namespace tacet::leakage
