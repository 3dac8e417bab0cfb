#pragma once

#include <cstdint>
#include <string>

namespace tacet::lift {

/// The text of a random function that secrets steer: loops over states of a few small numbers,
/// which go on by comparisons with what stands at a place that the state says, leave early by
/// `break` or `return`, read and store there. Comparisons, places and stores may be outside of the
/// arrays. The same for the same seed.
auto random_states(uint64_t seed) -> std::string;

}  // namespace tacet::lift
