#include "lsp/server/worker_pool.h"

#include <algorithm>
#include <utility>

namespace tacet::lsp {

WorkerPool::WorkerPool(size_t n_workers) : n_threads_(std::max<size_t>(2, n_workers)) {
  for (size_t i = 0; i < n_threads_; ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

WorkerPool::~WorkerPool() {
  while (!stop(std::chrono::seconds(1))) {
  }
}

void WorkerPool::submit(Priority priority, std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_) {
      return;
    }
    (priority == Priority::Interactive ? interactive_ : background_).push_back(std::move(task));
  }
  has_work_.notify_one();
}

/// Waits for a task that may run now and counts it as running. Empty when stopping.
auto WorkerPool::take_task(std::unique_lock<std::mutex>& lock) -> std::function<void()> {
  auto may_start_background = [&] {
    return !background_.empty() && n_running_background_ + 1 < n_threads_;
  };
  has_work_.wait(lock,
                 [&] { return is_stopping_ || !interactive_.empty() || may_start_background(); });
  if (is_stopping_) {
    return nullptr;
  }
  ++n_running_;
  if (!interactive_.empty()) {
    auto task = std::move(interactive_.front());
    interactive_.pop_front();
    return task;
  }
  auto task = [this, body = std::move(background_.front())] {
    body();
    const std::lock_guard relock(mutex_);
    --n_running_background_;
  };
  background_.pop_front();
  ++n_running_background_;
  return task;
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  while (auto task = take_task(lock)) {
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    --n_running_;
    is_idle_.notify_all();
    has_work_.notify_one();
  }
}

auto WorkerPool::stop(std::chrono::milliseconds patience) -> bool {
  {
    std::unique_lock lock(mutex_);
    is_stopping_ = true;
    interactive_.clear();
    background_.clear();
    has_work_.notify_all();
    if (!is_idle_.wait_for(lock, patience, [&] { return n_running_ == 0; })) {
      return false;
    }
  }
  for (std::thread& thread : threads_) {
    thread.join();
  }
  threads_.clear();
  return true;
}

}  // namespace tacet::lsp
