#include <CLI/CLI.hpp>

#include "cli/choice_option.h"
#include "cli/commands/commands.h"
#include "cli/help/completion_script.h"

namespace tacet::cli {

namespace {
enum class Shell : uint8_t { Bash, Zsh, Fish };
}  // namespace

static auto script(Shell shell, const ProgramModel& program) -> std::string {
  switch (shell) {
    case Shell::Bash:
      return bash_completions(program);
    case Shell::Zsh:
      return zsh_completions(program);
    case Shell::Fish:
      return fish_completions(program);
  }
  return "";
}

auto completions_command() -> Command {
  Command command;
  command.name = "completions";
  command.summary = "print a shell completion script";
  command.examples =
      "eval \"$(tacet completions bash)\"                              in ~/.bashrc\n"
      "tacet completions zsh > ~/.zfunc/_tacet                        a folder in $fpath\n"
      "tacet completions fish > ~/.config/fish/completions/tacet.fish";
  command.declare = [](CLI::App& app) -> Action {
    auto shell = std::make_shared<Shell>(Shell::Bash);
    add_choice(app, "shell", {"bash", "zsh", "fish"}, "The shell", shell.get())->required();
    return [shell](Invocation& invocation) {
      invocation.out.write(script(*shell, invocation.program));
      return ExitCode::Done;
    };
  };
  return command;
}

}  // namespace tacet::cli
