#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/device/oblivious/ranges.h"

namespace tacet::oblivious {

/// Why an expression is in its range: the ranges of what it is computed from, down to declared
/// bounds, bounds of loops and types. `text_of` is the source at a place, or nothing. O(size of the
/// kernel).
auto range_reasons(const kernel::Kernel& kernel, Ranges& ranges, kernel::ExprId expr,
                   const std::function<std::string_view(FileRange)>& text_of)
    -> std::vector<Reason>;

}  // namespace tacet::oblivious
