#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/id.h"

namespace tacet {

/// Append-only storage addressed by `Id`. Ids stay valid for the life of the
/// store; references are invalidated by `add`.
template <class IdType, class Value>
class Store {
 public:
  auto add(Value value) -> IdType {
    values_.push_back(std::move(value));
    return IdType{static_cast<uint32_t>(values_.size() - 1)};
  }

  [[nodiscard]] auto operator[](IdType id) const -> const Value& {
    TACET_CHECK(id.index < values_.size(), "id out of range");
    return values_[id.index];
  }

  [[nodiscard]] auto operator[](IdType id) -> Value& {
    TACET_CHECK(id.index < values_.size(), "id out of range");
    return values_[id.index];
  }

  [[nodiscard]] auto size() const -> size_t { return values_.size(); }

  [[nodiscard]] auto values() const -> std::span<const Value> { return values_; }

  friend auto operator==(const Store&, const Store&) -> bool = default;

 private:
  std::vector<Value> values_;
};

}  // namespace tacet
