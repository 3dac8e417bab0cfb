#pragma once

#include <string>

#include "cli/command.h"

namespace tacet::cli {

/// Prints the page of a code, or of a rule of that name; the codes of a group of rules; or all
/// codes if `name` is empty.
auto explain_code(const std::string& name, Invocation& invocation) -> ExitCode;

}  // namespace tacet::cli
