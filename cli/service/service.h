#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/service/admitted_clients.h"
#include "cli/service/event_log.h"
#include "cli/service/limits.h"
#include "cli/service/served_program.h"

namespace tacet::service {

/// What a service needs.
struct ServiceSetup {
  ServiceAddress listen;
  std::optional<ServiceAddress> status{};  ///< for metrics, health and readiness
  net::Credentials own;
  std::string clients_folder;  ///< of the certificates of those that may connect
  Limits limits{};
  std::vector<std::unique_ptr<const ServedProgram>> programs;
};

/// How a service ended.
enum class ServiceEnd : uint8_t {
  Drained,  ///< all that it had accepted was answered
  Cut,      ///< something was not, in the time for it
};

/// Serves until SIGTERM or SIGINT; a second one, more than a second later, ends it at once. SIGHUP
/// reads the folder of clients again. An error if it cannot start.
auto serve(ServiceSetup setup, EventLog& log) -> Result<ServiceEnd>;

}  // namespace tacet::service
