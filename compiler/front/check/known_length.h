#pragma once

#include <optional>

#include "compiler/front/check/body.h"

namespace tacet::check {

/// What a call of `len` gives; nothing for other nodes, and where it is not known.
auto known_length(const types::TypeStore& types, const Body& body, syntax::Node call)
    -> std::optional<int64_t>;

}  // namespace tacet::check
