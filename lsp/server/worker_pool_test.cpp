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

TEST(WorkerPool, BackgroundWorkLeavesAThreadFree) {
  std::promise<void> release;
  auto released = release.get_future().share();
  std::atomic<int> n_background = 0;
  std::promise<void> answered;
  WorkerPool pool(2);
  for (int i = 0; i < 4; ++i) {
    pool.submit(Priority::Background, [&, released] {
      ++n_background;
      released.wait();
    });
  }
  pool.submit(Priority::Interactive, [&] { answered.set_value(); });
  EXPECT_EQ(answered.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_LE(n_background, 1);
  release.set_value();
}

TEST(WorkerPool, PeopleComeFirst) {
  std::promise<void> release;
  auto released = release.get_future().share();
  std::promise<void> all;
  std::mutex mutex;
  std::string order;
  WorkerPool pool(2);
  std::promise<void> first_runs;
  std::promise<void> second_runs;
  pool.submit(Priority::Interactive, [&] { first_runs.set_value(), released.wait(); });
  pool.submit(Priority::Interactive, [&] { second_runs.set_value(), released.wait(); });
  first_runs.get_future().wait();
  second_runs.get_future().wait();
  auto note = [&](char c) {
    const std::lock_guard lock(mutex);
    order += c;
    if (order.size() == 4) {
      all.set_value();
    }
  };
  pool.submit(Priority::Background, [&] { note('b'); });
  pool.submit(Priority::Background, [&] { note('b'); });
  pool.submit(Priority::Interactive, [&] { note('i'); });
  pool.submit(Priority::Interactive, [&] { note('i'); });
  release.set_value();
  all.get_future().wait();
  EXPECT_EQ(order, "iibb");
}

TEST(WorkerPool, StoppingDropsWhatWaitsAndSaysWhatIsStuck) {
  std::promise<void> release;
  std::promise<void> started;
  std::atomic<bool> has_run = false;
  WorkerPool pool(2);
  pool.submit(Priority::Background, [&, released = release.get_future().share()] {
    started.set_value();
    released.wait();
  });
  started.get_future().wait();
  pool.submit(Priority::Background, [&] { has_run = true; });
  EXPECT_FALSE(pool.stop(milliseconds(5)));
  release.set_value();
  EXPECT_TRUE(pool.stop(milliseconds(10000)));
  EXPECT_FALSE(has_run);
}

}  // namespace
}  // namespace tacet::lsp
