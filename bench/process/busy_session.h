#pragma once

#include <string>

#include "bench/process/samples.h"
#include "bench/process/workspace_on_disk.h"

namespace tacet::bench {

/// What a person feels who opens a large workspace and types at once.
struct BusyResult {
  /// From the start of the process to the diagnostics of the open file, and until all is indexed.
  double first_diagnostics = 0;
  double indexed = 0;
  /// The same four while the workspace is read and indexed, and afterwards.
  struct Times {
    /// A request that is rejected at once: how long the server's loop is busy with something else,
    /// which is what a typed character waits.
    Samples wait;
    Samples keystroke;
    Samples hover;
    Samples completion;
  };
  Times meanwhile;
  Times afterwards;
  Samples references;
  Samples symbols;
  double memory_mb = 0;  ///< the most there ever was
};

auto measure_busy_session(const WorkspaceOnDisk& workspace, const std::string& program,
                          int n_keystrokes) -> BusyResult;

}  // namespace tacet::bench
