#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "engine/mpc/protocol.h"

/// Kernels whose views are compared: everything that sends, on a few numbers.
namespace tacet::mpc {

/// What they work on, modulo 2^64; no party knows any of it. `y` is never zero.
struct Secrets {
  Share x;
  Share y;
};

/// What a party holds of results: the first parts of shares, the second ones, and the third ones.
using Held = std::array<std::vector<RingArray>, 3>;

struct ViewedKernel {
  std::string_view name;
  Task<Held> (*run)(Party& party, Secrets secrets);
  /// Whether how much is sent depends on what is drawn at random.
  bool has_random_length = false;
};

/// All of them; those of a random length at the end.
auto viewed_kernels() -> std::vector<ViewedKernel>;

}  // namespace tacet::mpc
