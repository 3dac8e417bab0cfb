#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/run/interpret/element_type.h"

namespace tacet::cli {

/// `0..50`: a bound for a parameter with these values, as a program would declare it. Its ends are
/// 0, or 1, 2 or 5 times a power of ten, so that it does not show the least and the greatest value.
/// `numbers` are those that fixed point is stored as. Nothing if there are no values, or no bound
/// of the type contains them.
auto suggest_range(const std::vector<int64_t>& numbers, interpret::ElementType type)
    -> std::optional<std::string>;

}  // namespace tacet::cli
