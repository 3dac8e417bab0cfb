// Stands between a program and the system's functions on files (LD_PRELOAD). The call whose number
// is TACET_CUT_AT, from 1, is the last: the process is killed in front of it, or in the middle, if
// it writes. All calls go to the file TACET_CUT_LOG, if there is one.

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

template <class Function>
auto system_function(const char* name) -> Function {
  void* found = ::dlsym(RTLD_NEXT, name);
  Function function = nullptr;
  std::memcpy(&function, &found, sizeof(function));
  return function;
}

#define SYSTEM(name) system_function<decltype(&::name)>(#name)

std::atomic<long> n_calls = 0;  // NOLINT: of the process

auto is_last() -> bool {
  const char* at = std::getenv("TACET_CUT_AT");
  return ++n_calls == (at == nullptr ? 0 : std::atol(at));
}

void note(const char* call, const char* path, int descriptor) {
  const char* log = std::getenv("TACET_CUT_LOG");
  if (log == nullptr) {
    return;
  }
  const int file = SYSTEM(open)(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  char line[512];
  const int n = path != nullptr ? std::snprintf(line, sizeof(line), "%s %s\n", call, path)
                                : std::snprintf(line, sizeof(line), "%s %d\n", call, descriptor);
  static_cast<void>(!SYSTEM(write)(file, line, static_cast<size_t>(n)));
  SYSTEM(close)(file);
}

void cut() {
  ::kill(::getpid(), SIGKILL);
}

void pass(const char* call, const char* path, int descriptor) {
  note(call, path, descriptor);
  if (is_last()) {
    cut();
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

auto write(int descriptor, const void* bytes, size_t n) -> ssize_t {
  note("write", nullptr, descriptor);
  if (is_last()) {
    static_cast<void>(!SYSTEM(write)(descriptor, bytes, n / 2));
    cut();
  }
  return SYSTEM(write)(descriptor, bytes, n);
}
auto fsync(int descriptor) -> int {
  pass("fsync", nullptr, descriptor);
  return SYSTEM(fsync)(descriptor);
}
auto close(int descriptor) -> int {
  pass("close", nullptr, descriptor);
  return SYSTEM(close)(descriptor);
}
auto fchmod(int descriptor, mode_t mode) -> int {
  pass("fchmod", nullptr, descriptor);
  return SYSTEM(fchmod)(descriptor, mode);
}
auto mkostemp(char* path, int flags) -> int {
  pass("mkostemp", path, 0);
  return SYSTEM(mkostemp)(path, flags);
}
auto rename(const char* from, const char* to) -> int {
  pass("rename", to, 0);
  return SYSTEM(rename)(from, to);
}
auto link(const char* from, const char* to) -> int {
  pass("link", to, 0);
  return SYSTEM(link)(from, to);
}
auto unlink(const char* path) -> int {
  pass("unlink", path, 0);
  return SYSTEM(unlink)(path);
}
auto mkdir(const char* path, mode_t mode) -> int {
  pass("mkdir", path, 0);
  return SYSTEM(mkdir)(path, mode);
}
}
#pragma GCC visibility pop
