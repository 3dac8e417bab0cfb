#pragma once

#include <chrono>
#include <functional>

#include "lsp/server/event_loop.h"

namespace tacet::lsp {

/// Decides when diagnostics are computed. At once after an edit, which is what a person
/// typing gets; but when an edit arrives while a run is under way, so that its results
/// would be stale, the next run waits until the edits pause. A burst of hundreds of edits
/// therefore costs two runs.
class DiagnosticsSchedule {
 public:
  /// How long a pause ends a burst.
  static constexpr std::chrono::milliseconds kQuiet{8};

  /// `start` begins a run, which ends with a call of `run_ended`.
  DiagnosticsSchedule(EventLoop& loop, std::function<void()> start)
      : timer_(loop), start_(std::move(start)) {}

  /// Something changed.
  void changed();
  void run_ended();

  [[nodiscard]] auto is_running() const -> bool { return is_running_; }

 private:
  void start_run();

  Timer timer_;
  std::function<void()> start_;
  bool is_running_ = false;
  /// The burst paused while a superseded run had not ended yet.
  bool is_due_ = false;
};

}  // namespace tacet::lsp
