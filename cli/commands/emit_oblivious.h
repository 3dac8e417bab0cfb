#pragma once

#include "cli/command.h"
#include "cli/run/run_options.h"
#include "compiler/spec/program/frontend.h"
#include "formatter/style.h"

namespace tacet::cli {

/// Prints the device functions of `file`, which has no errors, as they are once no secret steers
/// them: all of them, or the one that `target` names. What cannot be rewritten is reported, and
/// fails.
auto emit_oblivious(const program::FrontendSnapshot& snapshot, FileId file, const RunTarget& target,
                    const formatter::Style& style, SourceSet& sources, Invocation& invocation)
    -> ExitCode;

}  // namespace tacet::cli
