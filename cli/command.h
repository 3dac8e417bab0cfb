#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/executor.h"
#include "cli/exit_code.h"
#include "cli/help/command_model.h"
#include "cli/output.h"
#include "cli/terminal.h"

namespace CLI {
class App;
}

/// What a sub-command of `tacet` is. Each is one file with one function that returns its `Command`.
namespace tacet::cli {

/// What a sub-command works with.
struct Invocation {
  Output& out;
  Output& err;
  Terminal out_terminal;
  Terminal err_terminal;
  const ProgramModel& program;
  /// Hears of long work how far it has come, from any thread, one call at a time; may be empty. The
  /// total is 0 where it is unknown.
  std::function<void(const std::string& phase, size_t n_done, size_t n_total)> on_phase{};

  /// Prints `tacet: error: MESSAGE` on stderr, after what stdout still holds.
  void error(std::string_view message);
  void warning(std::string_view message);
};

/// Does the work, once the options that `declare` bound are filled.
using Action = std::function<ExitCode(Invocation&)>;

struct Command {
  std::string_view name;
  std::string_view summary;   ///< one line, starts lower-case, no final period
  std::string_view examples;  ///< shell lines, a comment above each where one helps
  std::string_view details;   ///< paragraphs, may be empty
  std::function<Action(CLI::App&)> declare;
};

}  // namespace tacet::cli
