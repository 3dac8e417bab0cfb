#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/process/samples.h"
#include "bench/process/workspace_on_disk.h"

namespace tacet::bench {

/// How long a kind of edit takes, made and undone alternately, from the client's side of the pipes.
struct EditTimes {
  std::string name;
  /// From the edit to the diagnostics of its version.
  Samples diagnostics;
  /// From the edit to each of what editors ask for then.
  Samples tokens;
  Samples symbols;
  Samples lenses;
  Samples folds;
};

/// Edits that reach beyond one body: letters of names, items that come and go, braces and comments
/// that open; those alone whose names contain `only`. Ends the program if an edit and its undoing
/// do not give the diagnostics before it.
auto measure_edits(const WorkspaceOnDisk& workspace, const std::string& program, int n_edits,
                   std::string_view only) -> std::vector<EditTimes>;

}  // namespace tacet::bench
