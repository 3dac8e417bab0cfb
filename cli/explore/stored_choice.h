#pragma once

#include <vector>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/explore/explore_options.h"
#include "cli/explore/trials.h"

/// What `tacet explore` does with `tacet.explore`, beside the program.
namespace tacet::cli {

/// How an exploration is named on a command line: `--fn total`, `--pipeline main`.
auto target_words(const Candidates& found) -> std::string;

/// What is computed: the specification, the function or the pipeline.
auto target_name(const Candidates& found) -> std::string;

/// Prints what was chosen before, and from what. Fails if nothing was.
auto explain_stored(const ExploreOptions& options, const Candidates& found, Invocation& invocation)
    -> ExitCode;

/// Writes what was chosen before into the program, which the frontend has as `file`, and removes
/// it from `tacet.explore` as far as the text has it now. Fails if the program no longer has the
/// choice. With `options.is_dry` it prints the changes alone.
auto pin_stored(const ExploreOptions& options, const Candidates& found, program::Frontend& frontend,
                FileId file, Invocation& invocation) -> ExitCode;

/// Writes `best` of `trials` to `tacet.explore`.
auto store_choice(const ExploreOptions& options, const Candidates& found,
                  const std::vector<Trial>& trials, const Trial& best, Invocation& invocation)
    -> ExitCode;

}  // namespace tacet::cli
