#pragma once

#include <memory>

#include "base/executor.h"

namespace tacet::he {

/// An executor that shares work among `n_threads` threads, the caller being one of them, by
/// stealing; with one thread, a sequential one.
auto make_executor(unsigned n_threads) -> std::shared_ptr<Executor>;

}  // namespace tacet::he
