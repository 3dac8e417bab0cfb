#pragma once

#include <cstdint>
#include <vector>

/// Private to this folder.
namespace tacet::mpc_model {

/// Rounds from `begin` up to `end`.
struct Span {
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// Rounds that are in at least one of the spans, which are sorted by it. O(n log n).
auto n_rounds_of(std::vector<Span>& spans) -> uint64_t;

}  // namespace tacet::mpc_model
