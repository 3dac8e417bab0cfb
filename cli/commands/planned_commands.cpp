#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"

namespace tacet::cli {

static auto planned(std::string_view name, std::string_view summary) -> Command {
  Command command;
  command.name = name;
  command.summary = summary;
  command.is_built = false;
  command.declare = [name](CLI::App& app) -> Action {
    app.allow_extras();
    return [name](Invocation& invocation) {
      invocation.error(fmt::format(
          "`tacet {}` is not implemented yet; `tacet --help` lists the available commands", name));
      return ExitCode::Usage;
    };
  };
  return command;
}

auto planned_commands() -> std::vector<Command> {
  return {
      planned("explore", "time the members of equivalence classes"),
      planned("serve", "run the evaluator's side of homomorphic encryption"),
      planned("new", "create a project with a test"),
      planned("test", "run documentation examples and test items"),
      planned("doc", "generate HTML documentation for a workspace"),
  };
}

}  // namespace tacet::cli
