#pragma once

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/interpret/machine.h"
#include "compiler/interpret/program.h"

namespace tacet::interpret {

/// What to tell about a run that failed: where, on which values, and who called.
auto failure_diagnostic(const Program& program, const Failure& failure, uint64_t memory_limit_bytes)
    -> Diagnostic;

/// What to tell about an instruction of `note` that was reached.
auto remark_diagnostic(const Program& program, uint32_t instruction) -> Diagnostic;

}  // namespace tacet::interpret
