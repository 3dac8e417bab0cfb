#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "cli/service/admitted_clients.h"
#include "cli/service/metrics.h"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace tacet::service {

/// Answers `GET /metrics`, `/health` (the process works) and `/ready` (it accepts requests) by
/// HTTP, without TLS: for an address that only operators can reach.
class StatusServer {
 public:
  /// Listens until its end. `metrics` is called on the loop's thread; `patience` is for one
  /// request.
  static auto open(boost::asio::io_context& context, const ServiceAddress& address,
                   std::chrono::milliseconds patience, std::function<Metrics()> metrics)
      -> Result<std::unique_ptr<StatusServer>>;

  StatusServer() = default;
  StatusServer(const StatusServer&) = delete;
  auto operator=(const StatusServer&) -> StatusServer& = delete;
  virtual ~StatusServer() = default;

  /// With the port that was free, if any was requested.
  [[nodiscard]] virtual auto address() const -> const ServiceAddress& = 0;
};

}  // namespace tacet::service
