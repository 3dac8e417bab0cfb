#pragma once

#include <cstddef>
#include <functional>

namespace tacet {

/// Runs independent pieces of work, possibly on several cores. The caller supplies
/// it: analyses start no threads of their own.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Calls `body(0) … body(n - 1)` in any order and returns when all are done. The
  /// first exception thrown by a body is rethrown; the others still run or are skipped.
  virtual void for_each(size_t n, const std::function<void(size_t)>& body) = 0;
};

/// Runs everything on the calling thread, in order.
class SequentialExecutor final : public Executor {
 public:
  void for_each(size_t n, const std::function<void(size_t)>& body) override {
    for (size_t i = 0; i < n; ++i) {
      body(i);
    }
  }
};

}  // namespace tacet
