#pragma once

#include "base/executor.h"
#include "lsp/server/worker_pool.h"

namespace tacet::lsp {

/// Shares work between the calling thread, which is one of the pool's, and those of the pool that
/// are free: at most one per core. Never waits for a thread that is busy with something else.
class PoolExecutor final : public Executor {
 public:
  /// The others work at `priority`. The pool must outlive every call.
  PoolExecutor(WorkerPool& pool, Priority priority);

  void for_each(size_t n, const std::function<void(size_t)>& body) override;

 private:
  WorkerPool& pool_;
  Priority priority_;
  size_t n_others_;
};

}  // namespace tacet::lsp
