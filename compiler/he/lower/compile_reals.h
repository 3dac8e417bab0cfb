#pragma once

#include <vector>

#include "compiler/he/lower/compile.h"

namespace tacet::he_lower {

/// Private to this folder: compiles programs of reals that compute the same, whose inputs are
/// bounded, to within a unit of their type, or `options.tolerance`. If no ring is precise to a
/// unit, to within `default_tolerance`. Functions are approximated.
auto compile_reals(std::vector<array::Program> programs, const CompileOptions& options)
    -> Compilation;

}  // namespace tacet::he_lower
