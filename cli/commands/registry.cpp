#include <fmt/format.h>

#include "cli/commands/commands.h"

namespace tacet::cli {

auto library_commands() -> std::vector<Command> {
  return {
      new_command(),     import_command(), check_command(),   lint_command(),
      run_command(),     test_command(),   build_command(),   fmt_command(),
      emit_command(),    fill_command(),   explore_command(), explain_command(),
      library_command(), bench_command(),  party_command(),   joint_command(),
      random_command(),  man_command(),    version_command(), completions_command(),
      help_command(),
  };
}

static void complain(Invocation& invocation, std::string_view kind, std::string_view colour,
                     std::string_view message) {
  invocation.out.flush();
  if (invocation.err_terminal.colour == Colour::Always) {
    invocation.err.write(fmt::format("tacet: \x1b[1;{}m{}\x1b[0m: {}\n", colour, kind, message));
  } else {
    invocation.err.write(fmt::format("tacet: {}: {}\n", kind, message));
  }
}

void Invocation::error(std::string_view message) {
  complain(*this, "error", "31", message);
}

void Invocation::warning(std::string_view message) {
  complain(*this, "warning", "33", message);
}

}  // namespace tacet::cli
