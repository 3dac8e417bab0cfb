#pragma once

#include <functional>
#include <optional>

#include "compiler/core/syntax/tree.h"

namespace tacet::types {

/// The value of an expression of integers and booleans that needs nothing but literals, operators
/// and what `value_of` gives for names. Nothing if it needs more, or overflows 64 bits.
auto evaluate_constant(syntax::Node node,
                       const std::function<std::optional<int64_t>(syntax::Node)>& value_of)
    -> std::optional<int64_t>;

}  // namespace tacet::types
