#include "lsp/server/parent_watch.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <limits>
#include <utility>

namespace tacet::lsp {

using Descriptor = boost::asio::posix::stream_descriptor;

static constexpr std::chrono::milliseconds kPollInterval(500);

/// A descriptor that becomes readable when the process ends, or -1.
static auto open_pidfd(pid_t pid) -> int {
#ifdef SYS_pidfd_open
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
#else
  static_cast<void>(pid);
  errno = ENOSYS;
  return -1;
#endif
}

struct ParentWatch::State : std::enable_shared_from_this<ParentWatch::State> {
  State(EventLoop& the_loop, pid_t the_pid, std::function<void()> on_death)
      : loop(the_loop),
        pid(the_pid),
        died(std::move(on_death)),
        descriptor(the_loop.context()),
        timer(the_loop) {}

  void start() {
    int fd = open_pidfd(pid);
    if (fd >= 0) {
      descriptor.assign(fd);
      descriptor.async_wait(Descriptor::wait_read, [self = shared_from_this()](const auto& error) {
        if (!error && self->is_active) {
          self->died();
        }
      });
    } else {
      poll();
    }
  }

  void poll() {
    if (!is_active) {
      return;
    }
    if (kill(pid, 0) != 0 && errno == ESRCH) {
      loop.post([self = shared_from_this()] {
        if (self->is_active) {
          self->died();
        }
      });
      return;
    }
    timer.start(kPollInterval, [self = weak_from_this()] {
      if (auto alive = self.lock()) {
        alive->poll();
      }
    });
  }

  EventLoop& loop;
  pid_t pid;
  std::function<void()> died;
  Descriptor descriptor;
  Timer timer;
  bool is_active = true;
};

ParentWatch::ParentWatch(EventLoop& loop, int64_t process_id, std::function<void()> died) {
  bool is_pid = process_id > 0 && process_id <= std::numeric_limits<pid_t>::max();
  if (!is_pid) {
    return;
  }
  state_ = std::make_shared<State>(loop, static_cast<pid_t>(process_id), std::move(died));
  state_->start();
}

ParentWatch::~ParentWatch() {
  if (state_ != nullptr) {
    state_->is_active = false;
    state_->descriptor.close();
    state_->timer.stop();
  }
}

}  // namespace tacet::lsp
