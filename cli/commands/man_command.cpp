#include <CLI/CLI.hpp>

#include "cli/commands/commands.h"
#include "cli/help/reference.h"
#include "cli/version_info.h"

namespace tacet::cli {

auto man_command() -> Command {
  Command command;
  command.name = "man";
  command.summary = "print the manual page";
  command.examples =
      "tacet man | man -l -\n"
      "tacet man > ~/.local/share/man/man1/tacet.1";
  command.declare = [](CLI::App& app) -> Action {
    auto as_markdown = std::make_shared<bool>(false);
    app.add_flag("--markdown", *as_markdown, "Print Markdown instead of roff");
    return [as_markdown](Invocation& invocation) {
      invocation.out.write(*as_markdown ? markdown_reference(invocation.program)
                                        : man_page(invocation.program, kVersion));
      return ExitCode::Done;
    };
  };
  return command;
}

}  // namespace tacet::cli
