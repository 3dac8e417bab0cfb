#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace tacet::net {

/// Ends another thread's `poll`.
class WakeUp {
 public:
  WakeUp() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  WakeUp(const WakeUp&) = delete;
  auto operator=(const WakeUp&) -> WakeUp& = delete;
  ~WakeUp() { ::close(event_); }

  void signal() const {
    uint64_t one = 1;
    [[maybe_unused]] ssize_t written = ::write(event_, &one, sizeof(one));
  }
  void clear() const {
    uint64_t count = 0;
    [[maybe_unused]] ssize_t read = ::read(event_, &count, sizeof(count));
  }
  [[nodiscard]] auto to_poll() const -> pollfd { return {event_, POLLIN, 0}; }

 private:
  int event_;
};

}  // namespace tacet::net
