#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/help/help_text.h"

namespace tacet::cli {

static auto help(const std::string& name, Invocation& invocation) -> ExitCode {
  Colour colour = invocation.out_terminal.colour;
  if (name.empty()) {
    invocation.out.write(program_help(invocation.program, colour));
    return ExitCode::Done;
  }
  for (const CommandModel& command : invocation.program.commands) {
    if (command.name == name) {
      invocation.out.write(command_help(invocation.program, command, colour));
      return ExitCode::Done;
    }
  }
  invocation.error(fmt::format("unknown command `{}`; `tacet --help` lists all commands", name));
  return ExitCode::Usage;
}

auto help_command() -> Command {
  Command command;
  command.name = "help";
  command.summary = "print help for a command";
  command.examples = "tacet help check";
  command.declare = [](CLI::App& app) -> Action {
    auto name = std::make_shared<std::string>();
    app.add_option("command", *name, "The command (default: list all commands)")
        ->type_name("COMMAND");
    return [name](Invocation& invocation) { return help(*name, invocation); };
  };
  return command;
}

}  // namespace tacet::cli
