#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lsp/server/event_loop.h"

namespace tacet::lsp {

/// The byte stream to and from the client: two descriptors (which may be one, as with a
/// socket), read and written without ever blocking the loop.
class Connection {
 public:
  struct Events {
    std::function<void(std::string_view bytes)> received;
    /// All that has arrived so far was given to `received`.
    std::function<void()> drained;
    /// The client closed its end, or reading or writing failed. Called once.
    std::function<void()> closed;
  };

  /// Puts the descriptors into non-blocking mode until the end of the object. They stay
  /// open.
  Connection(EventLoop& loop, int in_fd, int out_fd);
  ~Connection();
  Connection(const Connection&) = delete;
  auto operator=(const Connection&) -> Connection& = delete;

  void start(Events events);

  /// Writes as much as fits and the rest when the client has read on.
  void send(std::string bytes);

  /// Calls `done` when all has been written, or never will be. No more is read.
  void finish(std::function<void()> done);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tacet::lsp
