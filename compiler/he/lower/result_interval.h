#pragma once

#include <vector>

#include "base/result.h"
#include "compiler/device/array/intervals.h"

namespace tacet::he_lower {

/// What the result may be, or which operation makes it too large for 64 bits. What holds of one
/// of the programs holds of all.
auto result_of(const std::vector<array::Program>& programs) -> Result<array::Interval>;

}  // namespace tacet::he_lower
