#include "cli/thread_executor.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/cancellation.h"
#include "cli/internal_error.h"

namespace tacet::cli {

namespace {

/// Pieces of work that several threads share.
class Work {
 public:
  Work(size_t n, const std::function<void(size_t)>& body) : n_(n), body_(&body) {}

  void help() {
    try {
      const CancellationScope scope(token_);
      for (size_t i = next_++; i < n_; i = next_++) {
        stop_if_cancelled();
        (*body_)(i);
      }
    } catch (...) {
      next_ = n_;
      std::lock_guard lock(mutex_);
      if (!error_) {
        error_ = std::current_exception();
      }
    }
  }

  void rethrow() const {
    if (error_) {
      std::rethrow_exception(error_);
    }
  }

 private:
  size_t n_;
  const std::function<void(size_t)>* body_;
  const CancellationToken* token_ = thread_cancellation();
  std::atomic<size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

auto thread_count(unsigned wanted) -> unsigned {
  return wanted > 0 ? wanted : std::max(2U, std::thread::hardware_concurrency());
}

void ThreadExecutor::for_each(size_t n, const std::function<void(size_t)>& body) {
  Work work(n, body);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 1; i < std::min<size_t>(n, n_threads_); ++i) {
      threads.emplace_back([&work] {
        CrashReportingThread reporting;
        work.help();
      });
    }
    work.help();
  }
  work.rethrow();
}

}  // namespace tacet::cli
