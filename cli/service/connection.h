#pragma once

#include <memory>
#include <string>

#include "cli/service/hub.h"

namespace tacet::service {

/// Whether a message that waits is accepted now.
enum class Accepts : uint8_t {
  Yes,    ///< it is, or it was refused, or it does not wait any more
  Later,  ///< not while its client, or keys, take what they take
  Full,   ///< nothing is accepted now
};

/// One connection of a client, from its first byte to its end.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  auto operator=(const Connection&) -> Connection& = delete;
  virtual ~Connection() = default;

  virtual void check_times(Clock::time_point now) = 0;
  /// Of a message that is in `Hub::waiting`.
  [[nodiscard]] virtual auto accept_message() -> Accepts = 0;
  /// Sends what a job came to.
  virtual void deliver(const std::shared_ptr<Job>& job) = 0;
  /// Reads no more, sends what is still to come, and ends.
  virtual void drain() = 0;
  /// Ends if the client is not admitted any more.
  virtual void check_admission() = 0;
  /// When it came, if it has not shown yet which client it is.
  [[nodiscard]] virtual auto unproven_since() const -> std::optional<Clock::time_point> = 0;
  /// Ends at once. The log says why.
  virtual void close(std::string_view reason) = 0;
};

/// Serves the connected socket `fd`, which it owns. Returns at once.
void start_connection(int fd, std::string address, Hub& hub);

}  // namespace tacet::service
