#pragma once

#include "compiler/he/relinearise/graph.h"

namespace tacet::relinearise {

/// What the cheapest plan costs, found by trying every one: each set of values to relinearise and,
/// where uses are apart, each choice of every use. Operands precede their users.
auto cheapest_of_all(const Graph& graph, const Rules& rules) -> double;

}  // namespace tacet::relinearise
