#pragma once

#include <vector>

#include "compiler/spec/infer/holes.h"

namespace tacet::infer {

/// Does the item have a `_` in the place of a name?
auto has_wildcards(const syntax::Tree& tree) -> bool;

/// Each `_` that stands for the name of a variable: a hole in which a name is missing. It is filled
/// with what the specification calls the value, if no variable is called so.
auto wildcards_of(query::Context& context, const FunctionFacts& facts) -> std::vector<Hole>;

}  // namespace tacet::infer
