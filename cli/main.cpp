#include "cli/command_line.h"
#include "cli/internal_error.h"
#include "cli/interruption.h"

auto main(int argc, char** argv) -> int {
  tacet::cli::handle_interruptions();
  return static_cast<int>(tacet::cli::with_crash_reports(
      argc, argv, [&] { return tacet::cli::run_command_line(argc, argv); }));
}
