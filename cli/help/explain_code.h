#pragma once

#include <string>

#include "cli/commands/command.h"

namespace tacet::cli {

/// Prints the page of the code called `name`, or all codes if it is empty.
auto explain_code(const std::string& name, Invocation& invocation) -> ExitCode;

}  // namespace tacet::cli
