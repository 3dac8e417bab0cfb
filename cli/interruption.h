#pragma once

#include <string>

namespace tacet::cli {

/// Makes Ctrl-C, a closed terminal and `kill` end the program at once, as they would anyway, but
/// with the temporary file of a write under way removed and the progress line erased. A pipe
/// whose reader has gone ends writes with an error instead of the program.
void handle_interruptions();

/// Says what to remove and erase if the program is interrupted while this lives. One at a time.
class RemoveOnInterruption {
 public:
  explicit RemoveOnInterruption(const std::string& path);
  RemoveOnInterruption(const RemoveOnInterruption&) = delete;
  auto operator=(const RemoveOnInterruption&) -> RemoveOnInterruption& = delete;
  ~RemoveOnInterruption();
};

/// Whether an interruption has to erase a progress line on stderr.
void set_progress_line_shown(bool is_shown);

}  // namespace tacet::cli
