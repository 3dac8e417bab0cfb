#include "cli/interruption.h"

#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace tacet::cli {

// A signal handler can reach nothing but what is global.
static std::atomic<char*> path_to_remove = nullptr;
static std::atomic<const CancellationToken*> token_to_cancel = nullptr;
static std::atomic<int> last_signal = SIGINT;
static std::atomic<bool> is_progress_shown = false;
static std::atomic<bool> is_typing_hidden = false;
static termios shown_typing = {};  ///< how the terminal was

static void show_typing() {
  if (is_typing_hidden.exchange(false)) {
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown_typing);
  }
}

static void interrupted(int signal) {
  if (const CancellationToken* const token = token_to_cancel.exchange(nullptr)) {
    last_signal = signal;
    token->cancel();
    return;
  }
  char* path = path_to_remove.exchange(nullptr);
  if (path != nullptr) {
    ::unlink(path);
  }
  if (is_progress_shown) {
    static constexpr char kErase[] = "\r\x1b[K";
    (void)!::write(STDERR_FILENO, kErase, sizeof kErase - 1);
  }
  show_typing();
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

CancelOnInterruption::CancelOnInterruption(CancellationToken token) : token_(std::move(token)) {
  token_to_cancel = &token_;
}

CancelOnInterruption::~CancelOnInterruption() {
  token_to_cancel = nullptr;
}

void end_interrupted() {
  std::signal(last_signal, SIG_DFL);
  ::raise(last_signal);
  std::abort();  // not reached: nothing blocks these signals
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

HideTyping::HideTyping() {
  struct sigaction action = {};
  ::sigemptyset(&action.sa_mask);
  action.sa_handler = SIG_IGN;
  ::sigaction(SIGTSTP, &action, &stop_);
  action.sa_handler = interrupted;
  ::sigaction(SIGQUIT, &action, &quit_);
  if (::tcgetattr(STDIN_FILENO, &shown_typing) == 0) {
    termios hidden = shown_typing;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
    is_typing_hidden = true;
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
  }
}

HideTyping::~HideTyping() {
  show_typing();
  ::sigaction(SIGQUIT, &quit_, nullptr);
  ::sigaction(SIGTSTP, &stop_, nullptr);
}

void set_progress_line_shown(bool is_shown) {
  is_progress_shown = is_shown;
}

}  // namespace tacet::cli
