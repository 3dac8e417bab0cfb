#include "lsp/server/diagnostics_schedule.h"

#include <utility>

namespace tacet::lsp {

void DiagnosticsSchedule::changed() {
  const auto now = Clock::now();
  // `min` is long ago, and too far away to subtract.
  const bool is_recent = last_superseding_ + kBurstMemory > now;
  if (is_running_ && is_answered_ && !is_due_ && !timer_.is_running()) {
    is_due_ = true;
  } else if (is_running_ || timer_.is_running()) {
    last_superseding_ = now;
    wait_for(has_resumed_ ? kLongQuiet : kQuiet);
  } else if (is_recent) {
    has_resumed_ = true;
    wait_for(kLongQuiet);
  } else {
    has_resumed_ = false;
    start_run();
  }
}

void DiagnosticsSchedule::wait_for(std::chrono::milliseconds quiet) {
  is_due_ = false;
  timer_.start(quiet, [this] {
    if (is_running_) {
      is_due_ = true;
    } else {
      start_run();
    }
  });
}

void DiagnosticsSchedule::run_ended() {
  is_running_ = false;
  if (std::exchange(is_due_, false)) {
    start_run();
  }
}

void DiagnosticsSchedule::start_run() {
  is_running_ = true;
  is_answered_ = false;
  start_();
}

}  // namespace tacet::lsp
