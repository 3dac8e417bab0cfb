#include "lsp/server/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>

namespace tacet::lsp {
namespace {

using std::chrono::milliseconds;

TEST(WorkerPool, RunsEverything) {
  std::atomic<int> n_done = 0;
  std::promise<void> all;
  WorkerPool pool(3);
  for (int i = 0; i < 1000; ++i) {
    pool.submit(i % 2 == 0 ? Priority::Interactive : Priority::Background, [&] {
      if (++n_done == 1000) {
        all.set_value();
      }
    });
  }
  all.get_future().wait();
  EXPECT_EQ(n_done, 1000);
}

/// Tasks that wait until they are let go.
class Blockers {
 public:
  /// Occupies a thread; `started` signals when.
  void add(WorkerPool& pool, Priority priority) {
    pool.submit(priority, [this] {
      ++n_started;
      n_started.notify_all();
      released_.wait();
    });
  }
  void wait_until_started(int n) {
    for (int seen = n_started; seen < n; seen = n_started) {
      n_started.wait(seen);
    }
  }
  void release() { release_.set_value(); }

  std::atomic<int> n_started = 0;

 private:
  std::promise<void> release_;
  std::shared_future<void> released_ = release_.get_future().share();
};

TEST(WorkerPool, LessUrgentWorkLeavesThreadsFree) {
  Blockers search;
  Blockers background;
  Blockers diagnostics;
  std::promise<void> answered;
  WorkerPool pool(kPriorities);
  for (int i = 0; i < 4; ++i) {
    search.add(pool, Priority::Search);
  }
  search.wait_until_started(1);
  for (int i = 0; i < 4; ++i) {
    background.add(pool, Priority::Background);
  }
  background.wait_until_started(1);
  for (int i = 0; i < 4; ++i) {
    diagnostics.add(pool, Priority::Diagnostics);
  }
  diagnostics.wait_until_started(1);
  pool.submit(Priority::Interactive, [&] { answered.set_value(); });
  answered.get_future().wait();
  EXPECT_EQ(search.n_started, 1);
  EXPECT_EQ(background.n_started, 1);
  EXPECT_EQ(diagnostics.n_started, 1);
  search.release();
  background.release();
  diagnostics.release();
}

TEST(WorkerPool, PeopleComeFirst) {
  Blockers one;
  Blockers others;
  std::promise<void> all;
  std::mutex mutex;
  std::string order;
  WorkerPool pool(kPriorities);
  one.add(pool, Priority::Interactive);
  for (size_t i = 1; i < kPriorities; ++i) {
    others.add(pool, Priority::Interactive);
  }
  one.wait_until_started(1);
  others.wait_until_started(kPriorities - 1);
  auto note = [&](char c) {
    const std::lock_guard lock(mutex);
    order += c;
    if (order.size() == 5) {
      all.set_value();
    }
  };
  pool.submit(Priority::Search, [&] { note('s'); });
  pool.submit(Priority::Background, [&] { note('b'); });
  pool.submit(Priority::Diagnostics, [&] { note('d'); });
  pool.submit(Priority::Interactive, [&] { note('i'); });
  pool.submit(Priority::Interactive, [&] { note('i'); });
  one.release();
  all.get_future().wait();
  EXPECT_EQ(order, "iidbs");
  others.release();
}

TEST(WorkerPool, StoppingDropsWhatWaitsAndSaysWhatIsStuck) {
  std::promise<void> release;
  std::promise<void> started;
  std::atomic<bool> has_run = false;
  WorkerPool pool(2);
  pool.submit(Priority::Search, [&, released = release.get_future().share()] {
    started.set_value();
    released.wait();
  });
  started.get_future().wait();
  pool.submit(Priority::Search, [&] { has_run = true; });
  EXPECT_FALSE(pool.stop(milliseconds(5)));
  release.set_value();
  EXPECT_TRUE(pool.stop(milliseconds(10000)));
  EXPECT_FALSE(has_run);
}

}  // namespace
}  // namespace tacet::lsp
