#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "cli/service/limits.h"

namespace tacet::service {

/// Threads that evaluate. Who submits bounds how much waits.
class EvaluationPool {
 public:
  using Task = std::function<void()>;

  explicit EvaluationPool(uint32_t n_threads);
  EvaluationPool(const EvaluationPool&) = delete;
  auto operator=(const EvaluationPool&) -> EvaluationPool& = delete;
  ~EvaluationPool() { end(); }
  /// Drops what waits, and waits for what runs.
  void end();

  /// Runs it on some thread, after what was submitted before has begun. It throws nothing.
  void submit(Task task);
  /// How many tasks have not begun.
  [[nodiscard]] auto n_waiting() -> size_t;

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tacet::service
