#pragma once

#include <cstdint>

#include "base/cancellation.h"
#include "base/id.h"

namespace tacet::query {

/// How seldom an input changes. A memo is as durable as the least durable thing it
/// read, and is revalidated in one comparison when nothing of its durability changed.
enum class Durability : uint8_t {
  Low,     ///< edited text
  Medium,  ///< files of the project, its configuration
  High,    ///< the library that ships with Tacet
};

inline constexpr uint32_t kDurabilities = 3;

/// Thrown out of `get` and `check_cancelled` when the revision that is being read
/// was superseded or the request was given up. A `compute` lets it pass.
using Cancelled = tacet::Cancelled;

/// The key of a query that has one value per database.
struct Unit {
  friend constexpr auto operator==(Unit, Unit) -> bool = default;
};

/// The inputs as they stood between two writes. Grows by one with every write that
/// changed something; 0 comes before all.
using Revision = uint32_t;

struct NodeTag;
/// A (query, key) pair, numbered densely within one database.
using NodeId = Id<NodeTag>;

}  // namespace tacet::query

template <>
struct std::hash<tacet::query::Unit> {
  auto operator()(tacet::query::Unit) const -> size_t { return 0; }
};
