#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "compiler/core/egraph/ids.h"

namespace tacet::egraph {

/// The language of a client: gives each distinct operator (with its payload) a dense id, in the
/// order of first use. `Op` is any regular type with `==` and a hash. This is all of the library
/// that knows the client's type; the rest is compiled once.
///
///     struct CircuitOp { Kind kind; int64_t payload; /* == */ };
///     OpTable<CircuitOp, CircuitOpHash> ops;
///     ClassId five = graph.add(ops.id({Kind::Constant, 5}), {});
template <class Op, class Hash = std::hash<Op>>
class OpTable {
 public:
  /// The id of `op`; the same for equal operators.
  auto id(const Op& op) -> OpId {
    auto [entry, fresh] = ids_.try_emplace(op, OpId{static_cast<uint32_t>(ops_.size())});
    if (fresh) {
      ops_.push_back(&entry->first);
    }
    return entry->second;
  }

  /// The id of `op` if it was ever used, else no id.
  [[nodiscard]] auto find(const Op& op) const -> OpId {
    const auto entry = ids_.find(op);
    return entry == ids_.end() ? OpId{} : entry->second;
  }

  [[nodiscard]] auto operator[](OpId id) const -> const Op& {
    TACET_CHECK(id.index < ops_.size(), "an operator of another table");
    return *ops_[id.index];
  }

  [[nodiscard]] auto size() const -> size_t { return ops_.size(); }

  OpTable() = default;
  OpTable(OpTable&&) noexcept = default;
  auto operator=(OpTable&&) noexcept -> OpTable& = default;
  OpTable(const OpTable&) = delete;
  auto operator=(const OpTable&) -> OpTable& = delete;
  ~OpTable() = default;

 private:
  std::unordered_map<Op, OpId, Hash> ids_;
  std::vector<const Op*> ops_;  // keys of ids_, which do not move
};

}  // namespace tacet::egraph
