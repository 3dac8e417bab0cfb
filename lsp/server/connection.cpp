#include "lsp/server/connection.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <utility>

namespace tacet::lsp {

namespace asio = boost::asio;
using Descriptor = asio::posix::stream_descriptor;

/// How much is read before other events of the loop are served.
static constexpr int kReadsPerIteration = 32;
static constexpr size_t kReadSize = size_t{64} << 10;

/// Sets O_NONBLOCK on what a descriptor refers to and takes it back in the end: others,
/// like the shell that started us, may share it.
class NonBlocking {
 public:
  explicit NonBlocking(int fd) : fd_(fd), flags_(fcntl(fd, F_GETFL)) {
    if (flags_ >= 0) {
      fcntl(fd_, F_SETFL, flags_ | O_NONBLOCK);
    }
  }
  ~NonBlocking() {
    if (flags_ >= 0) {
      fcntl(fd_, F_SETFL, flags_);
    }
  }
  NonBlocking(const NonBlocking&) = delete;
  auto operator=(const NonBlocking&) -> NonBlocking& = delete;

 private:
  int fd_;
  int flags_;
};

/// Lets a pipe hold as much as the system allows without privileges, so that a large answer does
/// not wait for its reader every 64 KiB. What is no pipe stays as it is.
static void widen_pipe([[maybe_unused]] int fd) {
#ifdef F_SETPIPE_SZ
  constexpr int kPipeSize = 1 << 20;
  fcntl(fd, F_SETPIPE_SZ, kPipeSize);
#endif
}

struct Connection::State : std::enable_shared_from_this<Connection::State> {
  // The descriptors are duplicated, since Asio closes and epoll knows each but once.
  State(EventLoop& the_loop, int in_fd, int out_fd)
      : loop(the_loop),
        in_mode(in_fd),
        out_mode(out_fd),
        in(the_loop.context(), dup(in_fd)),
        out(the_loop.context(), dup(out_fd)) {
    widen_pipe(out_fd);
  }

  void wait_for_input();
  void read_some();
  void write_some();
  void close();

  EventLoop& loop;
  NonBlocking in_mode;
  NonBlocking out_mode;
  Descriptor in;
  Descriptor out;
  Events events;
  std::array<char, kReadSize> buffer;

  std::string unsent;
  size_t n_sent = 0;
  bool is_waiting_to_write = false;
  bool is_open = true;
  bool is_broken = false;
  std::function<void()> when_sent;
};

void Connection::State::wait_for_input() {
  in.async_wait(Descriptor::wait_read, [self = shared_from_this()](const auto& error) {
    // Regular files cannot be waited for, and need not be.
    if (!error || error == asio::error::operation_not_supported) {
      self->read_some();
    }
  });
}

void Connection::State::read_some() {
  for (int i = 0; i < kReadsPerIteration && is_open; ++i) {
    ssize_t n = read(in.native_handle(), buffer.data(), buffer.size());
    if (n > 0) {
      events.received({buffer.data(), static_cast<size_t>(n)});
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      events.drained();
      if (is_open) {
        wait_for_input();
      }
      return;
    } else {
      close();
      return;
    }
  }
  if (is_open) {
    loop.post([self = shared_from_this()] { self->read_some(); });
  }
}

void Connection::State::write_some() {
  while (n_sent < unsent.size() && !is_broken) {
    ssize_t n = write(out.native_handle(), unsent.data() + n_sent, unsent.size() - n_sent);
    if (n >= 0) {
      n_sent += static_cast<size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      is_waiting_to_write = true;
      out.async_wait(Descriptor::wait_write, [self = shared_from_this()](const auto& error) {
        self->is_waiting_to_write = false;
        if (!error) {
          self->write_some();
        }
      });
      return;
    } else if (errno != EINTR) {
      is_broken = true;
      loop.post([self = shared_from_this()] { self->close(); });
    }
  }
  unsent = {};
  n_sent = 0;
  if (when_sent) {
    std::exchange(when_sent, nullptr)();
  }
}

void Connection::State::close() {
  if (std::exchange(is_open, false)) {
    events.closed();
  }
}

Connection::Connection(EventLoop& loop, int in_fd, int out_fd)
    : state_(std::make_shared<State>(loop, in_fd, out_fd)) {}

Connection::~Connection() {
  state_->is_open = false;
  state_->in.close();
  state_->out.close();
}

void Connection::start(Events events) {
  state_->events = std::move(events);
  state_->wait_for_input();
}

void Connection::send(std::string bytes) {
  if (state_->is_broken) {
    return;
  }
  if (state_->unsent.empty()) {
    state_->unsent = std::move(bytes);
  } else {
    state_->unsent += bytes;
  }
  if (!state_->is_waiting_to_write) {
    state_->write_some();
  }
}

void Connection::finish(std::function<void()> done) {
  state_->is_open = false;
  state_->when_sent = std::move(done);
  if (!state_->is_waiting_to_write) {
    state_->write_some();
  }
}

}  // namespace tacet::lsp
