#pragma once

#include "compiler/front/check/queries.h"
#include "compiler/spec/infer/timeline.h"

namespace tacet::infer {

/// How `function`, in SSA, fails to encode, submit and wait as its timeline says, and where it
/// could do so better.
auto timeline_conformance(query::Context& context, const hir::Function& function)
    -> check::ItemDiagnostics;

}  // namespace tacet::infer
