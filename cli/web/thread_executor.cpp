#include "cli/thread_executor.h"

namespace tacet::cli {

auto thread_count(unsigned /*wanted*/) -> unsigned {
  return 1;
}

void ThreadExecutor::for_each(size_t n, const std::function<void(size_t)>& body) {
  static_cast<void>(n_threads_);
  for (size_t i = 0; i < n; ++i) {
    body(i);
  }
}

}  // namespace tacet::cli
