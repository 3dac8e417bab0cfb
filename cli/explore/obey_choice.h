#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/run/run_options.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::cli {

/// The options of a run as `tacet.explore` beside its file has them, if that has a choice for the
/// function, specification or pipeline and the command line names no scheme, no calls, and no other
/// device: another function, on another device. A function of a device keeps its device unless the
/// command line names another. Says so, and warns of a choice that no longer fits the program,
/// which is ignored. An error if the file is broken.
auto with_explored_choice(const RunOptions& options, Invocation& invocation) -> Result<RunOptions>;

/// What the `tacet.explore` beside each of `files`, which the frontend has by their absolute paths,
/// says of it: see `problems::explored_findings`. Warns of one that is broken.
auto explored_diagnostics(program::Frontend& frontend, std::span<const std::string> files,
                          Invocation& invocation) -> std::vector<Diagnostic>;

}  // namespace tacet::cli
