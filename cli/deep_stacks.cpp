#include "cli/deep_stacks.h"

#include <pthread.h>

#include <cstddef>
#include <system_error>
#include <thread>

namespace tacet::cli {

/// Passes recurse over trees: they took up to 2 MiB for a tree of `syntax::kMaxTreeHeight` when
/// this was measured. What is not used costs address space alone.
static constexpr size_t kStackSize = size_t{16} << 20;

/// The size of a thread's stack is otherwise the limit on that of the main thread (`ulimit -s`).
static void set_stack_size_of_new_threads() {
  pthread_attr_t attributes;
  if (::pthread_getattr_default_np(&attributes) != 0) {
    return;
  }
  ::pthread_attr_setstacksize(&attributes, kStackSize);
  ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

auto with_deep_stacks(const std::function<int()>& body) -> int {
  set_stack_size_of_new_threads();
  int result = 0;
  try {
    std::thread([&] { result = body(); }).join();
  } catch (const std::system_error&) {
    return body();  // no thread to be had: the stack there is must do
  }
  return result;
}

}  // namespace tacet::cli
