#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace tacet {

/// A strongly typed index into a store. Ids are meaningful only together with
/// the store that issued them; they are never compared across stores.
template <class Tag>
struct Id {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  uint32_t index = kNone;

  [[nodiscard]] constexpr auto has_value() const -> bool { return index != kNone; }

  friend constexpr auto operator==(Id, Id) -> bool = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

/// Mixes `value` into `seed`; good enough for hash tables, not for adversaries.
constexpr auto hash_combine(uint64_t seed, uint64_t value) -> uint64_t {
  uint64_t x = seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ULL;
  x ^= x >> 32;
  return x;
}

}  // namespace tacet

template <class Tag>
struct std::hash<tacet::Id<Tag>> {
  auto operator()(tacet::Id<Tag> id) const -> size_t {
    return static_cast<size_t>(tacet::hash_combine(0, id.index));
  }
};
