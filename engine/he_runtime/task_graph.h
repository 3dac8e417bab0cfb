#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "base/executor.h"
#include "base/result.h"

namespace tacet::engine {

/// Tasks that wait for others. They are numbered in an order that a sequential run could use.
struct TaskGraph {
  std::vector<std::vector<uint32_t>> users;  ///< of each task: those that wait for it
  std::vector<uint32_t> n_waits;             ///< for how many tasks each one waits

  /// One more task, which waits for nothing yet.
  void add_task() {
    users.emplace_back();
    n_waits.push_back(0);
  }
  /// `user` waits for `task`, once for each time that this is called.
  void add_wait(uint32_t user, uint32_t task) {
    users[task].push_back(user);
    ++n_waits[user];
  }
};

/// Does all tasks on the executor's threads; on one thread, in the order of their numbers. Of the
/// tasks that can be done the one with the lowest number is begun first, so that about as little is
/// kept at a time as if they were done in order. After an error no more are begun; the error of the
/// task with the lowest number among those that failed is the result.
auto run_tasks(Executor& executor, unsigned n_threads, const TaskGraph& graph,
               const std::function<Status(uint32_t)>& body) -> Status;

/// Tasks of a run that wait for something from outside.
class AwaitedTasks {
 public:
  /// What a task waits for is there. From any thread.
  void arrive(uint32_t task);
  /// It will not come: the run ends with this error.
  void fail(Error error);

 private:
  friend class AwaitingRun;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<uint32_t> arrived_;  ///< that the run has not seen
  std::optional<Error> failure_;
};

/// As `run_tasks`, but tasks that `is_awaited` marks are done only when `awaited` says that they
/// can be. No other run may use the executor meanwhile, as this one waits on its threads.
auto run_awaiting_tasks(Executor& executor, unsigned n_threads, const TaskGraph& graph,
                        const std::vector<bool>& is_awaited, AwaitedTasks& awaited,
                        const std::function<Status(uint32_t)>& body) -> Status;

}  // namespace tacet::engine
