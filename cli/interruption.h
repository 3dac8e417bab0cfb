#pragma once

#include <csignal>
#include <string>

#include "base/cancellation.h"

namespace tacet::cli {

/// Makes Ctrl-C, a closed terminal and `kill` end the program at once, as they would anyway, but
/// with the temporary file of an unfinished write removed and the progress line erased. A pipe
/// whose reader has closed ends writes with an error instead of the program.
void handle_interruptions();

/// While it lives, the first Ctrl-C (or `kill`) cancels a token instead of ending the program; the
/// next one ends it. One at a time.
class CancelOnInterruption {
 public:
  explicit CancelOnInterruption(CancellationToken token);
  CancelOnInterruption(const CancelOnInterruption&) = delete;
  auto operator=(const CancelOnInterruption&) -> CancelOnInterruption& = delete;
  ~CancelOnInterruption();

 private:
  CancellationToken token_;
};

/// Ends the program by the signal that cancelled a token, so that the shell sees it.
[[noreturn]] void end_interrupted();

/// Says what to remove and erase if the program is interrupted while this lives. One at a time.
class RemoveOnInterruption {
 public:
  explicit RemoveOnInterruption(const std::string& path);
  RemoveOnInterruption(const RemoveOnInterruption&) = delete;
  auto operator=(const RemoveOnInterruption&) -> RemoveOnInterruption& = delete;
  ~RemoveOnInterruption();
};

/// While it lives, the terminal at standard input does not show what is typed, and does not stop
/// the program by Ctrl-Z. An interruption, by Ctrl-\ too, gives it back as it was. One at a time.
class HideTyping {
 public:
  HideTyping();
  HideTyping(const HideTyping&) = delete;
  auto operator=(const HideTyping&) -> HideTyping& = delete;
  ~HideTyping();

 private:
  struct sigaction quit_ = {};
  struct sigaction stop_ = {};
};

/// Whether an interruption has to erase a progress line on stderr.
void set_progress_line_shown(bool is_shown);

}  // namespace tacet::cli
