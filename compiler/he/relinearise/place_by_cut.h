#pragma once

#include "compiler/he/relinearise/plan.h"

namespace tacet::relinearise {

/// The cheapest plan where no degree is above two, exactly.
///
/// Degrees before and behind a relinearisation are then one or two, and every rule says of two of
/// them that one is not larger than the other, so the problem is a minimum cut: what is on the
/// source's side has degree two. Of several cheapest plans this is the one with the earliest
/// relinearisations, which leaves the fewest values of degree two.
///
/// With `Uses::Apart` and agreement each value may exist in both degrees, and each use takes the
/// one it needs. Where degrees may mix that never helps, since a smaller degree is never worse;
/// then all uses go together.
///
/// `max_degree` is taken as two. Cost: a maximum flow over two or three vertices a value.
auto place_by_cut(const Graph& graph, const Rules& rules) -> Plan;

}  // namespace tacet::relinearise
