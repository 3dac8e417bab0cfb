#include "lsp/server/pool_executor.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "base/check.h"

namespace tacet::lsp {

namespace {

/// One call of `for_each`. Outlives it, for tasks that come too late.
class SharedLoop {
 public:
  SharedLoop(size_t n, const std::function<void(size_t)>& body)
      : n_(n), body_(&body), check_handler_(check_handler()) {}

  /// A thread of the pool; does nothing once the caller has closed the loop. What fails here fails
  /// as it would in the caller: its request ends, and not the process.
  void help() {
    {
      const std::lock_guard lock(mutex_);
      if (is_closed_) {
        return;
      }
      ++n_helping_;
    }
    const CheckHandler previous = set_check_handler(check_handler_);
    work();
    set_check_handler(previous);
    const std::lock_guard lock(mutex_);
    --n_helping_;
    is_done_.notify_one();
  }

  /// The caller. Returns when nobody works any more, and throws what a body threw.
  void run() {
    work();
    std::unique_lock lock(mutex_);
    is_closed_ = true;
    is_done_.wait(lock, [&] { return n_helping_ == 0; });
    if (failure_) {
      std::rethrow_exception(failure_);
    }
  }

 private:
  void work() {
    try {
      for (size_t i = next_++; i < n_; i = next_++) {
        (*body_)(i);
      }
    } catch (...) {
      next_ = n_;
      const std::lock_guard lock(mutex_);
      failure_ = failure_ ? failure_ : std::current_exception();
    }
  }

  const size_t n_;
  const std::function<void(size_t)>* body_;
  const CheckHandler check_handler_;
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable is_done_;
  bool is_closed_ = false;
  size_t n_helping_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

PoolExecutor::PoolExecutor(WorkerPool& pool, Priority priority)
    : pool_(pool),
      priority_(priority),
      n_others_(std::max(1U, std::thread::hardware_concurrency()) - 1) {}

void PoolExecutor::for_each(size_t n, const std::function<void(size_t)>& body) {
  const auto loop = std::make_shared<SharedLoop>(n, body);
  for (size_t i = 0; i < n_others_ && i + 1 < n; ++i) {
    pool_.submit(priority_, [loop] { loop->help(); });
  }
  loop->run();
}

}  // namespace tacet::lsp
