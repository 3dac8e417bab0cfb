#pragma once

#include "base/executor.h"

namespace tacet::cli {

/// The number of threads that work is spread over: `wanted`, or the number of cores the process
/// may use, two at least, if that is 0.
auto thread_count(unsigned wanted) -> unsigned;

/// Spreads work over threads, which take the next piece when they are done with one.
class ThreadExecutor final : public Executor {
 public:
  explicit ThreadExecutor(unsigned n_threads) : n_threads_(n_threads) {}

  void for_each(size_t n, const std::function<void(size_t)>& body) override;

 private:
  unsigned n_threads_;
};

}  // namespace tacet::cli
