// The program tacet-run: `tacet` with the one command that `./dev run` gives, so that a first
// result waits for no server and no editor to compile.

#include "cli/program/start.h"
#include "cli/run/run_command.h"

static auto commands_to_run() -> std::vector<tacet::cli::Command> {
  return {tacet::cli::run_command()};
}

auto main(int argc, char** argv) -> int {
  return tacet::cli::start(argc, argv, commands_to_run);
}
