// Calls of Linux that emscripten does not have: they fail as in a kernel without them, which their
// callers are prepared for.

#include <cerrno>
#include <cstdint>

extern "C" {

auto inotify_init1(int /*flags*/) -> int {
  errno = ENOSYS;
  return -1;
}

auto inotify_add_watch(int /*descriptor*/, const char* /*path*/, uint32_t /*mask*/) -> int {
  errno = ENOSYS;
  return -1;
}

auto prctl(int /*option*/, ...) -> int {
  errno = EINVAL;
  return -1;
}
}
