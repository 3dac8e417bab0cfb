#pragma once

#include <string>

#include "tests/kernel/random_expression.h"

namespace tacet::testing {

/// A device function `f` whose variables grow in loops in ways that ranges can follow, wrap, depend
/// on each other, or only look as if they did.
auto random_sums(Random& random) -> std::string;

}  // namespace tacet::testing
