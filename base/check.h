#pragma once

#include <string>

namespace tacet {

/// What runs when a check fails: receives the rendered failure. It may throw (the
/// server's request barrier does) or return, after which the process aborts.
using CheckHandler = void (*)(const char* file, int line, const char* condition,
                              const char* message);

/// Installs `handler` for the calling thread and returns the previous one. A null
/// handler means: print to stderr and abort.
auto set_check_handler(CheckHandler handler) -> CheckHandler;

/// The handler of the calling thread, for those that work for it.
auto check_handler() -> CheckHandler;

[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const char* message);

}  // namespace tacet

/// States an invariant of ours. It is on in every build; a failure is a bug in
/// Tacet, never a mistake of the user.
#define TACET_CHECK(condition, message)                               \
  do {                                                                \
    if (!(condition)) [[unlikely]] {                                  \
      ::tacet::check_failed(__FILE__, __LINE__, #condition, message); \
    }                                                                 \
  } while (false)
