#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace tacet::testing {

/// The sizes of a random function.
struct RandomSizes {
  int64_t n = 1;
  int64_t m = 1;
};

/// A module with a function `f` of the type parameter `T` and the size parameters `n` and `m`,
/// which calls others, and with a function `g` that is the same text with `type` and the numbers
/// `sizes` for them.
struct RandomGeneric {
  std::string text;
  bool is_loop_free = true;  ///< it is an array program, too
};

auto random_generic(std::mt19937_64& random, RandomSizes sizes, const std::string& type)
    -> RandomGeneric;

}  // namespace tacet::testing
