#pragma once

#include <string>

#include "cli/help/command_model.h"

namespace tacet::cli {

/// Scripts that teach a shell to complete the command line. Codes of diagnostics are asked of
/// `tacet explain` when they are wanted.
auto bash_completions(const ProgramModel& program) -> std::string;
auto zsh_completions(const ProgramModel& program) -> std::string;
auto fish_completions(const ProgramModel& program) -> std::string;

}  // namespace tacet::cli
