#include "lsp/server/diagnostics_schedule.h"

#include <utility>

namespace tacet::lsp {

void DiagnosticsSchedule::changed() {
  if (!is_running_ && !timer_.is_running()) {
    start_run();
    return;
  }
  is_due_ = false;
  timer_.start(kQuiet, [this] {
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
  start_();
}

}  // namespace tacet::lsp
