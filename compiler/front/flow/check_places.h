#pragma once

#include "compiler/core/query/database.h"
#include "compiler/front/flow/place_states.h"
#include "compiler/front/names/report.h"

namespace tacet::flow {

/// What was found wrong with the contents of places.
struct PlaceMistakes {
  /// A value was read that may not exist.
  bool has_empty_reads = false;
  /// An encoder or future was used after being consumed: the order of events differs.
  bool has_used_up_handles = false;
};

/// Reports reads of what may be empty and uses of encoders and futures that may have been consumed;
/// to `leftovers` those that are never consumed.
auto check_places(query::Context& context, const PlaceProblem& problem,
                  const hir::BlockFacts<PlaceFact>& facts, names::Report& report,
                  names::Report& leftovers) -> PlaceMistakes;

}  // namespace tacet::flow
