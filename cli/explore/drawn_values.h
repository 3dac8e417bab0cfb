#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/explore/candidates.h"
#include "cli/explore/explore_options.h"
#include "cli/run/run_target.h"

namespace tacet::cli {

/// Whether a value of the command line is to be drawn.
auto has_random_values(const ExploreOptions& options) -> bool;

/// The values of the command line as `NAME=VALUE` for all parameters, random ones drawn: within
/// what all candidates allow for a parameter, since they are compared on the same numbers. An error
/// if they allow nothing in common, or if the values do not fit.
auto drawn_values(const program::FrontendSnapshot& snapshot, const LoadedProgram& program,
                  const Candidates& found, const ExploreOptions& options, Invocation& invocation)
    -> Result<std::vector<std::string>>;

}  // namespace tacet::cli
