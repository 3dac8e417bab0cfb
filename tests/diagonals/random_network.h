#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacet::diagonals {

/// An array program of integers, as text, and the numbers of its inputs.
struct RandomNetwork {
  std::string text;
  std::vector<std::vector<int64_t>> inputs;
  int64_t largest = 1;  ///< elements of its largest array of secrets
};

/// Convolutions of several channels with strides, padding and odd sizes, sums over windows,
/// squares, sums of two maps and of neighbours, and dense layers of what is left.
auto random_network(uint64_t seed) -> RandomNetwork;

}  // namespace tacet::diagonals
