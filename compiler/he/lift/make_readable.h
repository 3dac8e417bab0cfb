#pragma once

#include "compiler/he/lift/terms.h"

/// Private to this folder.
namespace tacet::lift {

/// The same without elements at remainders that no index of array programs has: these traverse a
/// whole dimension. Short sums along which such an index moves are written out, so that one
/// dimension is left in it; any other element is picked from all that it may be.
auto readable(Terms& terms, TermId term) -> TermId;

}  // namespace tacet::lift
