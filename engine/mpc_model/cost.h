#pragma once

#include <algorithm>
#include <cstdint>

namespace tacet::mpc_model {

/// What a kernel takes: rounds, and the bytes that all parties together send.
struct Cost {
  uint64_t rounds = 0;
  uint64_t bytes = 0;

  friend auto operator==(const Cost&, const Cost&) -> bool = default;
};

/// In sequence.
constexpr auto then(Cost first, Cost second) -> Cost {
  return {.rounds = first.rounds + second.rounds, .bytes = first.bytes + second.bytes};
}
/// Side by side: rounds are shared.
constexpr auto beside(Cost first, Cost second) -> Cost {
  return {.rounds = std::max(first.rounds, second.rounds), .bytes = first.bytes + second.bytes};
}
constexpr auto times(uint64_t count, Cost cost) -> Cost {
  return {.rounds = count * cost.rounds, .bytes = count * cost.bytes};
}

}  // namespace tacet::mpc_model
