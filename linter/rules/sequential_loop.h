#pragma once

#include "compiler/front/names/report.h"
#include "compiler/views/mpc/sequential_loops.h"

namespace tacet::linter {

/// What is to be said of a loop in the item, and of the time that its messages take if the link is
/// known.
auto sequential_loop_finding(const mpc_views::SequentialLoop& loop, names::ItemId item,
                             const mpc_model::Link& link) -> names::ItemDiagnostic;

}  // namespace tacet::linter
