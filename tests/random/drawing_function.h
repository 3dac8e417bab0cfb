#pragma once

#include <cstdint>
#include <string>

namespace tacet::testing {

/// How a function that draws is written: what stands around its draws, which must not change them.
enum class Surroundings : uint8_t { None, TextThatDrawsNothing };

/// A module with a device function `f(n: i64, s: secret i64) -> (secret i64, i64)` that draws in
/// loops of all kinds, choices, `for i: n` and calls; branches and loops depend on public numbers,
/// draws and, outside of those that draws decide, on secrets. Of equal seeds functions differ in
/// their surroundings alone.
auto drawing_function(uint64_t seed, Surroundings surroundings) -> std::string;

}  // namespace tacet::testing
