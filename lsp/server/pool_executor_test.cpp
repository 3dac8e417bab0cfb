#include "lsp/server/pool_executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "lsp/server/barrier.h"

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

TEST(PoolExecutor, AFailedCheckEndsTheWorkAndNotTheProcess) {
  WorkerPool pool(4);
  PoolExecutor executor(pool, Priority::Diagnostics);
  for (int round = 0; round < 20; ++round) {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    const std::string report = behind_barrier([&] {
      executor.for_each(1000, [&](size_t) {
        bool is_second = false;
        {
          const std::lock_guard lock(mutex);
          threads.insert(std::this_thread::get_id());
          is_second = threads.size() > 1;
        }
        std::this_thread::yield();
        TACET_CHECK(!is_second, "failed in another thread");
      });
    });
    EXPECT_EQ(report.empty(), threads.size() < 2) << report;
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
