#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tacet {

// A mutable global, as the token of `cancellation.cpp` is, the only other one: a failing check has
// nothing to carry a handler to it.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
static thread_local CheckHandler handler_of_thread = nullptr;

auto set_check_handler(CheckHandler handler) -> CheckHandler {
  CheckHandler previous = handler_of_thread;
  handler_of_thread = handler;
  return previous;
}

auto check_handler() -> CheckHandler {
  return handler_of_thread;
}

void check_failed(const char* file, int line, const char* condition, const char* message) {
  if (handler_of_thread != nullptr) {
    handler_of_thread(file, line, condition, message);
  }
  std::fprintf(stderr, "tacet: internal error: %s:%d: %s (%s)\n", file, line, message, condition);
  std::abort();
}

}  // namespace tacet
