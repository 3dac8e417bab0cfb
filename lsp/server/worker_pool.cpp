#include "lsp/server/worker_pool.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tacet::lsp {

WorkerPool::WorkerPool(size_t n_workers) : n_threads_(std::max(kPriorities, n_workers)) {
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
    waiting_[static_cast<size_t>(priority)].push_back(std::move(task));
  }
  has_work_.notify_one();
}

/// The most urgent priority of which a task may start now.
auto WorkerPool::next_priority() const -> std::optional<Priority> {
  for (size_t i = 0; i < kPriorities; ++i) {
    // A thread stays free for each priority above.
    const size_t n_below = std::accumulate(n_running_.begin() + static_cast<ptrdiff_t>(i),
                                           n_running_.end(), size_t{0});
    if (!waiting_[i].empty() && n_below + i < n_threads_) {
      return static_cast<Priority>(i);
    }
  }
  return std::nullopt;
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::optional<Priority> priority;
    has_work_.wait(lock, [&] { return is_stopping_ || (priority = next_priority()); });
    if (is_stopping_) {
      return;
    }
    const auto at = static_cast<size_t>(*priority);
    auto task = std::move(waiting_[at].front());
    waiting_[at].pop_front();
    ++n_running_[at];
    // Rarely: the end of the previous task allowed more than this one. No thread is woken in vain,
    // as that costs time on a machine with few cores.
    if (next_priority()) {
      has_work_.notify_one();
    }
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    --n_running_[at];
    if (is_stopping_) {
      is_idle_.notify_all();
    }
  }
}

auto WorkerPool::stop(std::chrono::milliseconds patience) -> bool {
  {
    std::unique_lock lock(mutex_);
    is_stopping_ = true;
    for (auto& tasks : waiting_) {
      tasks.clear();
    }
    has_work_.notify_all();
    auto is_idle = [&] {
      return std::all_of(n_running_.begin(), n_running_.end(), [](size_t n) { return n == 0; });
    };
    if (!is_idle_.wait_for(lock, patience, is_idle)) {
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
