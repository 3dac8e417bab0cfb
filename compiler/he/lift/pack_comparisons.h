#pragma once

#include <vector>

#include "compiler/he/lift/array_state.h"

/// Private to this folder.
namespace tacet::lift {

/// Makes arrays of comparisons that differ in the elements alone, since comparing all of them takes
/// what comparing one does:
///
///   less(t[8], x) * a + less(t[4], x) * b     c[4] * a + c[0] * b, with c[k] = less(t[k + 4], x)
///
/// Elements, or numbers, must follow a line, and what is compared must not all come from one
/// number: that is a polynomial anyway, whatever is done with it. Comparisons in what is compared
/// go first. `computed` are arrays of the program so far, of which the first has the number
/// `n_inputs`; the new ones come behind.
auto pack_comparisons(Terms& terms, TermId root, size_t n_inputs, std::vector<Computed>& computed)
    -> TermId;

}  // namespace tacet::lift
