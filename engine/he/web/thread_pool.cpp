#include "engine/he/thread_pool.h"

namespace tacet::he {

// A page that any host may serve has no threads that share memory.
auto make_executor(unsigned /*n_threads*/) -> std::shared_ptr<Executor> {
  return std::make_shared<SequentialExecutor>();
}

}  // namespace tacet::he
