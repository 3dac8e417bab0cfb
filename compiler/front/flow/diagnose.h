#pragma once

#include "compiler/front/check/queries.h"
#include "compiler/front/hir/hir.h"

namespace tacet::flow {

/// What is wrong with the flows of a function.
struct Findings {
  check::ItemDiagnostics diagnostics;
  /// Encoders that are never submitted, futures that are never awaited. Where the order of events
  /// is not that of the specification, that says so already.
  check::ItemDiagnostics leftovers;
  /// Something is read that may not be there. What values are would follow from that.
  bool are_values_unclear = false;
  /// An encoder or future is used twice. In which order things happen would follow from that.
  bool are_events_unclear = false;
};

/// Checks the flows of `function`, as built from `body`. O(nodes + instructions) for functions
/// without suspects, which are most of them.
auto diagnose(query::Context& context, const check::Body& body, const hir::Function& function)
    -> Findings;

/// The variables that are surely read before they have a value (T1010) in a function that has other
/// mistakes already. What those mistakes touch is left alone.
auto diagnose_broken(query::Context& context, const hir::Function& function)
    -> check::ItemDiagnostics;

}  // namespace tacet::flow
