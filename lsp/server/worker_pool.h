#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "lsp/server/handlers/handlers.h"

namespace tacet::lsp {

/// Threads that serve requests, those that a person waits for before all others. What is less
/// urgent never takes the last free thread: background work leaves one for diagnostics, and the
/// two together leave one for a request, so that no hover waits for the end of a long run.
class WorkerPool {
 public:
  /// At least one thread per priority is started.
  explicit WorkerPool(size_t n_workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  auto operator=(const WorkerPool&) -> WorkerPool& = delete;

  /// Any thread. Tasks of one priority start in the order they were given. A task must
  /// not throw.
  void submit(Priority priority, std::function<void()> task);

#ifdef __EMSCRIPTEN__
  /// Where there are no threads: does the most urgent task, if there is any.
  auto work_on_one() -> bool;
#endif

  /// Drops what has not started and waits for the rest; false if some task still ran
  /// after `patience`. The pool is of no more use, and can be destroyed only after true.
  auto stop(std::chrono::milliseconds patience) -> bool;

 private:
  void work();
  [[nodiscard]] auto next_priority() const -> std::optional<Priority>;

  const size_t n_threads_;
  std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable is_idle_;
  /// By priority.
  std::array<std::deque<std::function<void()>>, kPriorities> waiting_;
  std::array<size_t, kPriorities> n_running_{};
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tacet::lsp
