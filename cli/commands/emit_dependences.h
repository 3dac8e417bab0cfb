#pragma once

#include "cli/command.h"
#include "cli/run/run_options.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::cli {

/// Prints, for the loops of the device functions of `file`, which has no errors, how their
/// iterations depend on each other once no secret steers them: of all functions, or of the one that
/// `target` names.
auto emit_dependences(const program::FrontendSnapshot& snapshot, FileId file,
                      const RunTarget& target, SourceSet& sources, Invocation& invocation)
    -> ExitCode;

}  // namespace tacet::cli
