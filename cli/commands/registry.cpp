#include "cli/commands/commands.h"
#include "cli/run/run_command.h"

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

}  // namespace tacet::cli
