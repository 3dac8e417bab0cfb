#include "cli/program/start.h"
#include "cli/serving/all_commands.h"

auto main(int argc, char** argv) -> int {
  return tacet::cli::start(argc, argv, tacet::cli::all_commands);
}
