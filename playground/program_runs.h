#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "base/cancellation.h"
#include "lsp/server/event_loop.h"
#include "playground/limits.h"
#include "playground/run_request.h"

namespace tacet::playground {

/// The runs in progress, each on a thread that waits for its process. The loop's thread only.
class ProgramRuns {
 public:
  ProgramRuns(lsp::EventLoop& loop, const Limits& limits, std::string program);
  /// Kills what runs.
  ~ProgramRuns();
  ProgramRuns(const ProgramRuns&) = delete;
  auto operator=(const ProgramRuns&) -> ProgramRuns& = delete;

  [[nodiscard]] auto has_room() const -> bool { return runs_.size() < limits_.most_runs; }

  /// Calls `done` on the loop's thread with the result of `run_program`. `token` ends it early.
  void start(RunRequest request, CancellationToken token, std::function<void(std::string)> done);

 private:
  struct Run {
    CancellationToken token;
    std::thread thread;
  };

  lsp::EventLoop& loop_;
  const Limits& limits_;
  const std::string program_;
  std::map<uint64_t, Run> runs_;
  uint64_t n_runs_ = 0;
};

}  // namespace tacet::playground
