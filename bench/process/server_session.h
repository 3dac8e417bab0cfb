#pragma once

#include <cstdint>
#include <string>

#include "bench/process/samples.h"
#include "bench/process/workspace_on_disk.h"

namespace tacet::bench {

/// How often things are done.
struct SessionOptions {
  std::string program;
  int n_starts = 10;
  int n_keystrokes = 1000;
  /// Open every file of the workspace in the end, and type once more.
  bool opens_everything = false;
};

/// What a person at an editor would feel. All times from the client's side of the pipes.
struct SessionResult {
  /// A request that the server rejects at once: the share of pipes and machine in every time below,
  /// which is the more the more other programs run.
  Samples round_trip;
  /// From the start of the process to the diagnostics of the first opened file.
  Samples start;
  /// From a keystroke inside a body to the diagnostics of that version.
  Samples keystroke;
  Samples hover;
  /// A hover that is asked right after a keystroke, while its diagnostics are computed.
  Samples hover_after_key;
  /// Of a name, in all files.
  Samples references;
  /// Of all of the document, right after a keystroke.
  Samples tokens_after_key;
  /// Of sixty lines, right after a keystroke among them.
  Samples hints_after_key;
  /// Where the lenses of the file stand, right after a keystroke; then what one of them says.
  Samples lenses_after_key;
  Samples lens_text;
  /// Empty if the server offers no completion.
  Samples completion_after_key;
  /// 500 edits without a pause, until the diagnostics of the last.
  Samples burst;
  int max_burst_publications = 0;
  /// Resident, with one file open and the rest of the workspace read.
  double memory_mb = 0;

  double all_open_memory_mb = 0;
  Samples all_open_keystroke;
};

auto measure_session(const WorkspaceOnDisk& workspace, const SessionOptions& options)
    -> SessionResult;

}  // namespace tacet::bench
