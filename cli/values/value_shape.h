#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacet::cli {

/// The extents of the array that a command line gives for a parameter whose type has the extents
/// `pattern`, of which negative ones are open. Nothing for what does not have a shape of its own
/// (`@random`), for standard input, which is read once, and for a table of more dimensions than
/// rows and columns show. The elements are not checked: that is done when the value is read. An
/// error if a file cannot be read, or has no array of that many dimensions.
auto shape_of_value(std::string_view text, std::span<const int64_t> pattern)
    -> Result<std::optional<std::vector<int64_t>>>;

}  // namespace tacet::cli
