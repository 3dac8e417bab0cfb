#include "cli/program/start.h"

#include "cli/command_line.h"
#include "cli/deep_stacks.h"
#include "cli/internal_error.h"
#include "cli/interruption.h"
#include "cli/own_process.h"
#include "cli/run/core_dumps.h"
#include "cli/run/mpc_device.h"

namespace tacet::cli {

auto start(int argc, char** argv, std::vector<Command> (*commands)()) -> int {
  own_process();
  if (argc == 2 && argv[1] == kPartyOfRun) {
    forbid_core_dumps();
    return serve_party_of_run();
  }
  if (argc == 2 && argv[1] == kPartyOfSession) {
    forbid_core_dumps();
    return serve_party_of_session();
  }
  handle_interruptions();
  return with_deep_stacks([&] {
    return static_cast<int>(
        with_crash_reports(argc, argv, [&] { return run_command_line(argc, argv, commands()); }));
  });
}

}  // namespace tacet::cli
