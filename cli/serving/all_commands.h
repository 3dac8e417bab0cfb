#pragma once

#include <vector>

#include "cli/command.h"

namespace tacet::cli {

auto debug_command() -> Command;
auto lsp_command() -> Command;
auto mcp_command() -> Command;
auto playground_command() -> Command;
auto request_command() -> Command;
auto serve_command() -> Command;

/// Every sub-command of the program `tacet`: the library's, and those that serve until they are
/// stopped.
auto all_commands() -> std::vector<Command>;

}  // namespace tacet::cli
