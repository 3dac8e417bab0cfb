#pragma once

#include <optional>
#include <string_view>

#include "cli/run/mpc_device.h"

namespace tacet::cli {

/// How parties compute: as the command line says, or else the workspace around the program.
struct ProtocolChoice {
  RunProtocol protocol = RunProtocol::Aby3;
  RunCorrelations correlations = RunCorrelations::Bfv;

  [[nodiscard]] auto has_dealer() const -> bool {
    return protocol == RunProtocol::Semi2k && correlations == RunCorrelations::Dealer;
  }
};

/// Of the options, or of the workspace.
auto choose_protocol(const RunOptions& options, const std::optional<project::Workspace>& workspace)
    -> Result<ProtocolChoice>;

/// Where a program is run, and by which protocol.
struct ProtocolSetting {
  std::optional<project::Workspace> workspace;
  ProtocolChoice choice;
};

/// The workspace around the program, and what it or the options choose.
auto find_protocol_setting(const RunOptions& options) -> Result<ProtocolSetting>;

auto protocol_of(RunProtocol protocol) -> mpc::ProtocolKind;
/// Nothing if there is none of that name.
auto find_protocol(std::string_view name) -> std::optional<RunProtocol>;

}  // namespace tacet::cli
