#pragma once

#include <vector>

#include "compiler/device/array/lower.h"

namespace tacet::he_lower {

/// Array programs that compute the same as `program`, which is the first: an item's lets inlined
/// differently, plaintext factors multiplied first, stencils as sums over the directions in
/// sequence, in one statement or a statement each. At most twelve, in an order that depends on the
/// text alone: all choices of lets to inline if there are few, else none, all, and each alone.
/// Those that are much larger than the first are left out.
auto alternatives_of(const array::Program& program, const program::FrontendSnapshot& snapshot,
                     names::ItemId item) -> std::vector<array::Program>;

/// The same of a program without text.
auto alternatives_of(const array::Program& program) -> std::vector<array::Program>;

}  // namespace tacet::he_lower
