#pragma once

#include "compiler/spec/program/frontend.h"

namespace tacet::ide {

/// What is computed at an entity, by offsets in its item's tree: the expression whose operator or
/// function it is, the choice of an `if`, or the access to the element of an array that it names.
/// An empty range if it is none of these.
auto computed_range(const program::Entity& entity) -> TextRange;

}  // namespace tacet::ide
