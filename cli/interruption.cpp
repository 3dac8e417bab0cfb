#include "cli/interruption.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <memory>

namespace tacet::cli {

// A signal handler can reach nothing but what is global.
static std::atomic<char*> path_to_remove = nullptr;
static std::atomic<bool> is_progress_shown = false;

static void interrupted(int signal) {
  char* path = path_to_remove.exchange(nullptr);
  if (path != nullptr) {
    ::unlink(path);
  }
  if (is_progress_shown) {
    static constexpr char kErase[] = "\r\x1b[K";
    (void)!::write(STDERR_FILENO, kErase, sizeof kErase - 1);
  }
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

static void handle(int signal, void (*handler)(int)) {
  struct sigaction old = {};
  ::sigaction(signal, nullptr, &old);
  if (old.sa_handler == SIG_IGN && signal != SIGPIPE) {
    return;  // started in the background or under nohup
  }
  struct sigaction action = {};
  action.sa_handler = handler;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

void handle_interruptions() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    handle(signal, interrupted);
  }
  handle(SIGPIPE, SIG_IGN);
}

RemoveOnInterruption::RemoveOnInterruption(const std::string& path) {
  delete[] path_to_remove.exchange(nullptr);
  auto copy = std::make_unique<char[]>(path.size() + 1);
  std::memcpy(copy.get(), path.c_str(), path.size() + 1);
  path_to_remove = copy.release();
}

RemoveOnInterruption::~RemoveOnInterruption() {
  delete[] path_to_remove.exchange(nullptr);
}

void set_progress_line_shown(bool is_shown) {
  is_progress_shown = is_shown;
}

}  // namespace tacet::cli
