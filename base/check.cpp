#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tacet {

// The one mutable global: a failing check has nothing to carry a handler to it.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
static thread_local CheckHandler check_handler = nullptr;

auto set_check_handler(CheckHandler handler) -> CheckHandler {
  CheckHandler previous = check_handler;
  check_handler = handler;
  return previous;
}

void check_failed(const char* file, int line, const char* condition, const char* message) {
  if (check_handler != nullptr) {
    check_handler(file, line, condition, message);
  }
  std::fprintf(stderr, "tacet: internal error: %s:%d: %s (%s)\n", file, line, message, condition);
  std::abort();
}

}  // namespace tacet
