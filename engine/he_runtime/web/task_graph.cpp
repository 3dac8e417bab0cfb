#include "engine/he_runtime/task_graph.h"

namespace tacet::engine {

auto run_tasks(Executor& /*executor*/, unsigned /*n_threads*/, const TaskGraph& graph,
               const std::function<Status(uint32_t)>& body) -> Status {
  for (uint32_t task = 0; task < graph.users.size(); ++task) {
    if (Status status = body(task); !status) {
      return status;
    }
  }
  return std::monostate{};
}

void AwaitedTasks::arrive(uint32_t /*task*/) {}
void AwaitedTasks::fail(Error /*error*/) {}

auto run_awaiting_tasks(Executor& /*executor*/, unsigned /*n_threads*/, const TaskGraph& /*graph*/,
                        const std::vector<bool>& /*is_awaited*/, AwaitedTasks& /*awaited*/,
                        const std::function<Status(uint32_t)>& /*body*/) -> Status {
  return Error{"a page is one machine"};
}

}  // namespace tacet::engine
