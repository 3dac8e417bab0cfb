#pragma once

#include <fmt/format.h>

#include <chrono>

#include "cli/command.h"
#include "cli/interruption.h"

namespace tacet::cli {

/// Says how far a run is, on a terminal, once it takes longer than half a second.
class StepLine {
 public:
  explicit StepLine(Invocation& invocation)
      : invocation_(invocation),
        next_(std::chrono::steady_clock::now() + std::chrono::milliseconds(500)) {}
  ~StepLine() {
    if (is_shown_) {
      invocation_.err.write("\r\x1b[K");
      invocation_.err.flush();
      set_progress_line_shown(false);
    }
  }
  StepLine(const StepLine&) = delete;
  auto operator=(const StepLine&) -> StepLine& = delete;

  void show(uint64_t n_steps) {
    std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now();
    if (!invocation_.err_terminal.is_terminal || now < next_) {
      return;
    }
    next_ = now + std::chrono::milliseconds(100);
    set_progress_line_shown(true);
    is_shown_ = true;
    invocation_.err.write(fmt::format("\r\x1b[Krunning: {} million steps", n_steps / 1'000'000));
    invocation_.err.flush();
  }

 private:
  Invocation& invocation_;
  std::chrono::steady_clock::time_point next_;
  bool is_shown_ = false;
};

}  // namespace tacet::cli
