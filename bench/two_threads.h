#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "base/executor.h"

namespace tacet::bench {

/// Two threads take files from a common queue, as the command line does on two cores.
class TwoThreads final : public Executor {
 public:
  void for_each(size_t n, const std::function<void(size_t)>& body) override {
    std::atomic<size_t> next = 0;
    auto work = [&] {
      for (size_t i = next++; i < n; i = next++) {
        body(i);
      }
    };
    std::thread other(work);
    work();
    other.join();
  }
};

}  // namespace tacet::bench
