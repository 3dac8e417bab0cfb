#pragma once

#include <optional>

#include "compiler/he/lower/real_levels.h"

namespace tacet::he_lower {

/// Bootstraps values of a program of reals without loops, so that no part of it from one such place
/// to the next takes more than so many levels.
///
/// The levels that values are at without any are cut into parts; what is made before a cut and used
/// behind it is bootstrapped, once, but for inputs, which are encrypted with as many primes as they
/// need. Of all cuts that leave no part too deep, those are chosen across which the fewest values
/// go. Nothing if a value there has no bound, or has degree two.
///
/// `n_levels`: what a bootstrapped value can take before it is bootstrapped again. O(steps), and
/// the number of levels times `n_levels`.
auto with_bootstraps(const engine::HeProgram& program, Rescaling rescaling, uint32_t n_levels)
    -> std::optional<engine::HeProgram>;

}  // namespace tacet::he_lower
