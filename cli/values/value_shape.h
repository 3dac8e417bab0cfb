#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacet::cli {

/// The extents of the array that a command line gives for a parameter with `rank` dimensions, for
/// parameters whose lengths its type leaves open. Nothing for what does not have a shape of its own
/// (`@random`), and for standard input, which is read once. The elements are not checked: who reads
/// the value does. An error if a file cannot be read.
auto shape_of_value(std::string_view text, size_t rank)
    -> Result<std::optional<std::vector<int64_t>>>;

}  // namespace tacet::cli
