#pragma once

#include <span>
#include <string>

#include "cli/commands/command.h"
#include "cli/run/run_options.h"

namespace tacet::cli {

/// The options of a run as `tacet.explore` beside its file has them, if that has a choice for the
/// function, specification or pipeline and the command line names no scheme, no calls, and no other
/// device: another function, on another device. A function of a device keeps its device unless the
/// command line names another. Says so, and warns of a choice that no longer fits the program,
/// which is ignored. An error if the file is broken.
auto with_explored_choice(const RunOptions& options, Invocation& invocation) -> Result<RunOptions>;

/// Warns of choices in the `tacet.explore` beside files that do not fit these any more.
void warn_of_misfits(std::span<const std::string> files, Invocation& invocation);

}  // namespace tacet::cli
