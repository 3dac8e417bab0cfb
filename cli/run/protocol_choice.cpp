#include "cli/run/protocol_choice.h"

#include <fmt/format.h>

#include <filesystem>

namespace tacet::cli {

auto workspace_around(const RunOptions& options) -> Result<std::optional<project::Workspace>> {
  std::vector<std::string> warnings;
  const std::string path = std::filesystem::absolute(options.file).lexically_normal().string();
  return project::find_workspace(path.substr(0, path.rfind('/')), warnings);
}

auto protocol_of(RunProtocol protocol) -> mpc::ProtocolKind {
  switch (protocol) {
    case RunProtocol::Ref:
      return mpc::ProtocolKind::Ref;
    case RunProtocol::Semi2k:
      return mpc::ProtocolKind::Semi2k;
    case RunProtocol::Rep4:
      return mpc::ProtocolKind::Rep4;
    case RunProtocol::Aby3Active:
      return mpc::ProtocolKind::Aby3Active;
    case RunProtocol::Aby3:
      break;
  }
  return mpc::ProtocolKind::Aby3;
}

auto find_protocol(std::string_view name) -> std::optional<RunProtocol> {
  for (const RunProtocol protocol : {RunProtocol::Ref, RunProtocol::Semi2k, RunProtocol::Aby3,
                                     RunProtocol::Rep4, RunProtocol::Aby3Active}) {
    if (mpc::protocol_name(protocol_of(protocol)) == name) {
      return protocol;
    }
  }
  return std::nullopt;
}

auto choose_protocol(const RunOptions& options, const std::optional<project::Workspace>& workspace)
    -> Result<ProtocolChoice> {
  ProtocolChoice choice{options.protocol, options.correlations};
  if (!workspace) {
    return choice;
  }
  const project::MpcSettings& settings = workspace->manifest.mpc;
  if (!options.names_protocol && !settings.protocol.empty()) {
    const std::optional<RunProtocol> protocol = find_protocol(settings.protocol);
    if (!protocol) {
      return Error{fmt::format("tacet.toml: unknown protocol `{}`", settings.protocol)};
    }
    choice.protocol = *protocol;
  }
  if (!options.names_correlations && settings.correlations == "dealer") {
    choice.correlations = RunCorrelations::Dealer;
  }
  return choice;
}

auto find_protocol_setting(const RunOptions& options) -> Result<ProtocolSetting> {
  Result<std::optional<project::Workspace>> workspace = workspace_around(options);
  if (!workspace) {
    return workspace.error();
  }
  Result<ProtocolChoice> choice = choose_protocol(options, *workspace);
  if (!choice) {
    return choice.error();
  }
  return ProtocolSetting{std::move(*workspace), *choice};
}

}  // namespace tacet::cli
