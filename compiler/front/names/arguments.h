#pragma once

#include <vector>

#include "compiler/core/syntax/tree.h"
#include "compiler/front/names/body_names.h"

namespace tacet::names {

/// The values that a call passes, in order: its arguments, but for functions.
auto value_arguments(const BodyNames& names, syntax::Node call) -> std::vector<syntax::Node>;

/// How many functions a function takes, in front of its other parameters; `head` is its item.
auto n_function_parameters(syntax::Node head) -> size_t;

}  // namespace tacet::names
