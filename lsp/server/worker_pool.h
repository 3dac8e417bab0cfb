#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "lsp/server/handlers/handlers.h"

namespace tacet::lsp {

/// Threads that serve requests, those that a person waits for before all others.
/// Background work never takes the last free thread, so an interactive request starts at once.
class WorkerPool {
 public:
  /// At least two threads are started.
  explicit WorkerPool(size_t n_workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  auto operator=(const WorkerPool&) -> WorkerPool& = delete;

  /// Any thread. Tasks of one priority start in the order they were given. A task must
  /// not throw.
  void submit(Priority priority, std::function<void()> task);

  /// Drops what has not started and waits for the rest; false if some task still ran
  /// after `patience`. The pool is of no more use, and can be destroyed only after true.
  auto stop(std::chrono::milliseconds patience) -> bool;

 private:
  void work();
  auto take_task(std::unique_lock<std::mutex>& lock) -> std::function<void()>;

  const size_t n_threads_;
  std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable is_idle_;
  std::deque<std::function<void()>> interactive_;
  std::deque<std::function<void()>> background_;
  size_t n_running_ = 0;
  size_t n_running_background_ = 0;
  bool is_stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tacet::lsp
