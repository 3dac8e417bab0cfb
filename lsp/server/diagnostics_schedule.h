#pragma once

#include <chrono>
#include <functional>

#include "lsp/server/event_loop.h"

namespace tacet::lsp {

/// Decides when diagnostics are computed. At once after an edit, which is what a person
/// typing gets; but when an edit arrives while a run is in progress, so that its results would be
/// stale, the next run waits until the edits pause. Should the burst continue after a pause, the
/// next pause must be longer. A burst of hundreds of edits costs two runs or three.
class DiagnosticsSchedule {
 public:
  /// How long a pause ends a burst, and one that was thought to have ended before.
  static constexpr std::chrono::milliseconds kQuiet{8};
  static constexpr std::chrono::milliseconds kLongQuiet{25};
  /// How long a burst may pause.
  static constexpr std::chrono::milliseconds kBurstMemory{50};

  /// `start` begins a run, which ends with a call of `run_ended`.
  DiagnosticsSchedule(EventLoop& loop, std::function<void()> start)
      : timer_(loop), start_(std::move(start)) {}

  /// Something changed.
  void changed();
  /// What was edited has its diagnostics; the run continues with the other documents. An edit that
  /// comes now answers what the person saw and is no burst; a second one before the run's end is.
  void answered() { is_answered_ = true; }
  void run_ended();

  [[nodiscard]] auto is_running() const -> bool { return is_running_; }

 private:
  using Clock = std::chrono::steady_clock;

  void start_run();
  void wait_for(std::chrono::milliseconds quiet);

  Timer timer_;
  std::function<void()> start_;
  bool is_running_ = false;
  bool is_answered_ = false;
  /// The burst paused while a superseded run had not ended yet.
  bool is_due_ = false;
  /// When an edit last came too early for its own run.
  Clock::time_point last_superseding_ = Clock::time_point::min();
  bool has_resumed_ = false;
};

}  // namespace tacet::lsp
