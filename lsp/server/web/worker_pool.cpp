#include "lsp/server/worker_pool.h"

#include <algorithm>
#include <utility>

namespace tacet::lsp {

WorkerPool::WorkerPool(size_t /*n_workers*/) : n_threads_(0) {}
WorkerPool::~WorkerPool() = default;

void WorkerPool::submit(Priority priority, std::function<void()> task) {
  if (!is_stopping_) {
    waiting_[static_cast<size_t>(priority)].push_back(std::move(task));
  }
}

auto WorkerPool::work_on_one() -> bool {
  const auto most_urgent = std::find_if(waiting_.begin(), waiting_.end(),
                                        [](const auto& tasks) { return !tasks.empty(); });
  if (most_urgent == waiting_.end()) {
    return false;
  }
  const auto task = std::move(most_urgent->front());
  most_urgent->pop_front();
  task();
  return true;
}

auto WorkerPool::stop(std::chrono::milliseconds /*patience*/) -> bool {
  is_stopping_ = true;
  for (auto& tasks : waiting_) {
    tasks.clear();
  }
  return true;
}

}  // namespace tacet::lsp
