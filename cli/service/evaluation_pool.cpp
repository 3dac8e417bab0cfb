#include "cli/service/evaluation_pool.h"

#include <utility>

namespace tacet::service {

EvaluationPool::EvaluationPool(uint32_t n_threads) {
  for (uint32_t i = 0; i < n_threads; ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

void EvaluationPool::end() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    tasks_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
  threads_.clear();
}

void EvaluationPool::submit(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

auto EvaluationPool::n_waiting() -> size_t {
  const std::lock_guard lock(mutex_);
  return tasks_.size();
}

void EvaluationPool::work() {
  while (true) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return is_ending_ || !tasks_.empty(); });
      if (is_ending_) {
        return;
      }
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace tacet::service
