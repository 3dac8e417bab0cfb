#include "engine/he_runtime/task_graph.h"

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <chrono>
#include <mutex>
#include <queue>
#include <utility>

#include "base/cancellation.h"
#include "base/happens_before.h"

namespace tacet::engine {
namespace {

class ParallelRun {
 public:
  ParallelRun(const TaskGraph& graph, const std::function<Status(uint32_t)>& body)
      : graph_(graph), body_(body), n_waits_(graph.n_waits) {}

  auto run() -> Status {
    spawn(begin());
    group_.wait();
    happens_after(end_);
    return failed_ == kNothing ? Status(std::monostate{}) : Status(error_);
  }

 private:
  static constexpr uint32_t kNothing = ~uint32_t{0};

  /// The number of tasks that wait for nothing.
  auto begin() -> size_t {
    for (uint32_t task = 0; task < n_waits_.size(); ++task) {
      if (n_waits_[task] == 0) {
        ready_.push(task);
      }
    }
    const size_t n = ready_.size();
    happens_before(begin_);
    return n;
  }

  /// A thread that finds time takes whichever task is the first then.
  void spawn(size_t n) {
    for (size_t i = 0; i < n; ++i) {
      group_.run([this] { step(); });
    }
  }

  void step() {
    happens_after(begin_);
    uint32_t task = 0;
    {
      const std::lock_guard lock(mutex_);
      if (failed_ != kNothing) {
        return;
      }
      task = ready_.top();
      ready_.pop();
    }
    const CancellationScope scope(token_);
    stop_if_cancelled();
    // While it waits for its own loops the thread must not begin another task.
    const Status status = tbb::this_task_arena::isolate([&] { return body_(task); });
    spawn(finish(task, status));
    happens_before(end_);
  }

  /// The number of tasks that can be done now.
  auto finish(uint32_t task, const Status& status) -> size_t {
    const std::lock_guard lock(mutex_);
    if (!status) {
      if (task < failed_) {
        failed_ = task;
        error_ = status.error();
      }
      return 0;
    }
    size_t n = 0;
    for (const uint32_t user : graph_.users[task]) {
      if (--n_waits_[user] == 0) {
        ready_.push(user);
        ++n;
      }
    }
    return n;
  }

  const TaskGraph& graph_;
  const std::function<Status(uint32_t)>& body_;
  const CancellationToken* const token_ = thread_cancellation();
  tbb::task_group group_;
  char begin_ = 0;
  char end_ = 0;
  std::mutex mutex_;
  std::vector<uint32_t> n_waits_;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready_;
  uint32_t failed_ = kNothing;
  Error error_;
};

}  // namespace

auto run_tasks(Executor& executor, unsigned n_threads, const TaskGraph& graph,
               const std::function<Status(uint32_t)>& body) -> Status {
  if (n_threads > 1) {
    Status result = std::monostate{};
    executor.for_each(1, [&](size_t) { result = ParallelRun(graph, body).run(); });
    return result;
  }
  for (uint32_t task = 0; task < graph.users.size(); ++task) {
    stop_if_cancelled();
    if (Status status = body(task); !status) {
      return status;
    }
  }
  return std::monostate{};
}

/// Threads that take tasks until all are done.
class AwaitingRun {
 public:
  AwaitingRun(const TaskGraph& graph, const std::vector<bool>& is_awaited, AwaitedTasks& awaited,
              const std::function<Status(uint32_t)>& body)
      : graph_(graph),
        awaited_(awaited),
        body_(body),
        n_waits_(graph.n_waits),
        n_left_(graph.users.size()) {
    for (uint32_t task = 0; task < n_waits_.size(); ++task) {
      if (n_waits_[task] == 0 && !is_awaited[task]) {
        ready_.push(task);
      }
    }
  }

  /// What each thread does. Any number of calls do all tasks together, one call alone too.
  void work() {
    const CancellationScope scope(token_);
    std::unique_lock lock(awaited_.mutex_);
    while (take_arrivals(), !is_over()) {
      if (ready_.empty()) {
        // Who cancels wakes nobody.
        constexpr auto kPatience = std::chrono::milliseconds(100);
        awaited_.changed_.wait_for(lock, kPatience);
        stop_if_cancelled_or_end();
        continue;
      }
      const uint32_t task = ready_.top();
      ready_.pop();
      lock.unlock();
      Status status = std::monostate{};
      try {
        stop_if_cancelled();
        status = tbb::this_task_arena::isolate([&] { return body_(task); });
      } catch (...) {
        lock.lock();
        is_cancelled_ = true;
        awaited_.changed_.notify_all();
        throw;
      }
      lock.lock();
      finish(task, status);
    }
  }

  auto result() const -> Status {
    if (failed_ != kNothing) {
      return error_;
    }
    const std::lock_guard lock(awaited_.mutex_);
    return n_left_ != 0 && awaited_.failure_ ? Status(*awaited_.failure_)
                                             : Status(std::monostate{});
  }

 private:
  static constexpr uint32_t kNothing = ~uint32_t{0};

  auto is_over() const -> bool {
    return n_left_ == 0 || failed_ != kNothing || awaited_.failure_ || is_cancelled_;
  }

  void stop_if_cancelled_or_end() {
    try {
      stop_if_cancelled();
    } catch (...) {
      is_cancelled_ = true;
      awaited_.changed_.notify_all();
      throw;
    }
  }

  void take_arrivals() {
    for (const uint32_t task : std::exchange(awaited_.arrived_, {})) {
      ready_.push(task);
      awaited_.changed_.notify_one();
    }
  }

  void finish(uint32_t task, const Status& status) {
    if (status) {
      complete(task);
      return;
    }
    if (task < failed_) {
      failed_ = task;
      error_ = status.error();
    }
    awaited_.changed_.notify_all();
  }

  void complete(uint32_t task) {
    for (const uint32_t user : graph_.users[task]) {
      if (--n_waits_[user] == 0) {
        ready_.push(user);
      }
    }
    --n_left_;
    awaited_.changed_.notify_all();
  }

  const TaskGraph& graph_;
  AwaitedTasks& awaited_;
  const std::function<Status(uint32_t)>& body_;
  const CancellationToken* const token_ = thread_cancellation();
  std::vector<uint32_t> n_waits_;
  size_t n_left_;
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready_;
  uint32_t failed_ = kNothing;
  Error error_;
  bool is_cancelled_ = false;
};

void AwaitedTasks::arrive(uint32_t task) {
  const std::lock_guard lock(mutex_);
  arrived_.push_back(task);
  changed_.notify_all();
}

void AwaitedTasks::fail(Error error) {
  const std::lock_guard lock(mutex_);
  if (!failure_) {
    failure_ = std::move(error);
  }
  changed_.notify_all();
}

auto run_awaiting_tasks(Executor& executor, unsigned n_threads, const TaskGraph& graph,
                        const std::vector<bool>& is_awaited, AwaitedTasks& awaited,
                        const std::function<Status(uint32_t)>& body) -> Status {
  AwaitingRun run(graph, is_awaited, awaited, body);
  executor.for_each(n_threads, [&](size_t) { run.work(); });
  return run.result();
}

}  // namespace tacet::engine
