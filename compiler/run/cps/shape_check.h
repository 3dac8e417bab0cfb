#pragma once

#include "compiler/run/cps/check.h"

namespace tacet::cps {

/// The part of the rules that is not about tags: ids, order of definitions, types. Private to this
/// folder.
auto check_shape(const Program& program) -> std::vector<Fault>;

}  // namespace tacet::cps
