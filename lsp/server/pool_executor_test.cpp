#include "lsp/server/pool_executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace tacet::lsp {
namespace {

TEST(PoolExecutor, CallsEachOnce) {
  WorkerPool pool(4);
  PoolExecutor executor(pool, Priority::Diagnostics);
  for (size_t n : {0U, 1U, 2U, 7U, 1000U}) {
    std::vector<std::atomic<int>> n_calls(n);
    executor.for_each(n, [&](size_t i) { ++n_calls[i]; });
    for (const std::atomic<int>& calls : n_calls) {
      EXPECT_EQ(calls, 1);
    }
  }
}

TEST(PoolExecutor, ThrowsWhatABodyThrew) {
  WorkerPool pool(4);
  PoolExecutor executor(pool, Priority::Diagnostics);
  for (size_t thrower = 0; thrower < 20; ++thrower) {
    const auto run = [&] {
      executor.for_each(20, [&](size_t i) {
        if (i == thrower) {
          throw std::runtime_error("thrown");
        }
      });
    };
    EXPECT_THROW(run(), std::runtime_error);
  }
}

TEST(PoolExecutor, NeedsNoFreeThread) {
  WorkerPool pool(kPriorities);
  std::atomic<int> n_done = 0;
  std::atomic<int> n_outer = 0;
  // More loops at once than the pool has threads.
  for (int loop = 0; loop < 12; ++loop) {
    pool.submit(Priority::Interactive, [&] {
      PoolExecutor(pool, Priority::Diagnostics).for_each(50, [&](size_t) { ++n_done; });
      ++n_outer;
      n_outer.notify_all();
    });
  }
  for (int seen = n_outer; seen < 12; seen = n_outer) {
    n_outer.wait(seen);
  }
  EXPECT_EQ(n_done, 600);
}

}  // namespace
}  // namespace tacet::lsp
