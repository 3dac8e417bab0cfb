#pragma once

#include <cstdint>
#include <string>

namespace tacet::mpc_lower {

/// The text of a function with loops that carry values in forms that have trees, and in forms that
/// almost have: systems of linear recurrences, clamped sums, elements of the iterations before,
/// nests of two loops. The same of equal seeds.
auto loop_nest_text(uint64_t seed) -> std::string;

}  // namespace tacet::mpc_lower
