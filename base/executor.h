#pragma once

#include <cstddef>
#include <functional>

#include "base/cancellation.h"

namespace tacet {

/// Runs independent pieces of work, possibly on several cores. The caller supplies
/// it: analyses start no threads of their own.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Calls `body(0) … body(n - 1)` in any order and returns when all are done. The
  /// first exception thrown by a body is rethrown; the others still run or are skipped. Before each
  /// of them is a safe point (`stop_if_cancelled`) of the calling thread's scope.
  virtual void for_each(size_t n, const std::function<void(size_t)>& body) = 0;
};

/// Runs everything on the calling thread, in order.
class SequentialExecutor final : public Executor {
 public:
  void for_each(size_t n, const std::function<void(size_t)>& body) override {
    for (size_t i = 0; i < n; ++i) {
      stop_if_cancelled();
      body(i);
    }
  }
};

}  // namespace tacet
