#pragma once

#include <optional>
#include <string>

#include "engine/cggi_model/bootstrap_times.h"
#include "engine/he_model/operation_times.h"
#include "engine/mpc_model/run_times.h"

namespace tacet::cli {

/// Where `tacet bench --calibrate` keeps what it measured: in the user's cache folder
/// (`$XDG_CACHE_HOME/tacet`, or `~/.cache/tacet`), by version and instruction set. Empty if there
/// is no such folder to be named.
auto operation_times_path() -> std::string;

/// What is measured of a machine.
struct MachineTimes {
  he::OperationTimes operations;
  std::optional<cggi::BootstrapTimes> bootstraps{};
  /// Of runs by parties; those that Tacet comes with if none were measured.
  mpc_model::ProtocolTimes parties = mpc_model::default_protocol_times();

  /// Lines of all.
  [[nodiscard]] auto text() const -> std::string;
};

/// What was measured on this machine, or else the tables that Tacet comes with, and no times of
/// bootstraps.
auto machine_times() -> MachineTimes;
auto operation_times() -> he::OperationTimes;

/// Keeps what was measured.
auto store_machine_times(const MachineTimes& times) -> Status;

}  // namespace tacet::cli
