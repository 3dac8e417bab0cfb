#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "compiler/core/query/revision.h"

namespace tacet::query {

struct Node;
struct QueryType;

enum class EventKind : uint8_t {
  Executed,   ///< `compute` is about to run
  Unchanged,  ///< the old value was found good for this revision, `compute` did not run
  Recovered,  ///< the node was found to be on a cycle, `on_cycle` gave its value
  Evicted,    ///< the value was dropped to keep to the capacity
};

/// Something that happened to one memo. Valid during the call of the hook only.
struct Event {
  EventKind kind;
  const QueryType& type;
  const Node& node;

  [[nodiscard]] auto query_name() const -> std::string_view;

  /// `parse_file(3)`: the query's name and its key.
  [[nodiscard]] auto text() const -> std::string;
};

/// Called from whichever thread runs the query, so it must be safe to call from many.
using EventHook = std::function<void(const Event&)>;

}  // namespace tacet::query
