#pragma once

#include "compiler/front/names/report.h"
#include "compiler/spec/infer/timeline.h"

namespace tacet::infer {

/// Waits of `function`, in SSA, that keep devices idle: those in front of an encoding that does
/// not need what is waited for, and those in front of calls that do not.
///
/// Compares only instructions of one block between a wait and the next step: O(instructions).
/// `quotients` may be null.
void hint_at_idle_devices(const hir::Function& function, const syntax::Tree& tree,
                          const TimelineQuotients* quotients, names::Report& report);

}  // namespace tacet::infer
