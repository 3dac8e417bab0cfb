#include "cli/serving/all_commands.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "cli/commands/commands.h"

namespace tacet::cli {

auto all_commands() -> std::vector<Command> {
  std::vector<Command> commands = library_commands();
  const auto behind = std::find_if(commands.begin(), commands.end(),
                                   [](const Command& command) { return command.name == "man"; });
  TACET_CHECK(behind != commands.end(), "servers are listed before the manual");
  const auto request = commands.insert(behind, request_command());
  const auto serve = commands.insert(request, serve_command());
  const auto playground = commands.insert(serve, playground_command());
  const auto mcp = commands.insert(playground, mcp_command());
  const auto lsp = commands.insert(mcp, lsp_command());
  commands.insert(std::next(lsp), debug_command());
  return commands;
}

}  // namespace tacet::cli
