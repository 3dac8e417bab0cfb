#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/run/mpc_device.h"
#include "engine/mpc_model/protocol_costs.h"

/// Private to this folder: what runs of parties here and of one among others have in common.
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
auto correlations_of(const ProtocolChoice& choice) -> mpc::CorrelationsKind;
auto truncation_of(const RunOptions& options) -> mpc::Truncation;
/// Three of `aby3` and `aby3-active`, four of `rep4`; else as many as are named, and two at least.
auto count_of_parties(mpc::ProtocolKind protocol, size_t n_named) -> net::Rank;
/// What the command line says of how long is waited, else `times`.
auto times_with(const RunOptions& options, net::TimeLimits times) -> net::TimeLimits;

/// By rank, what each party does if all run here.
auto works_of(const engine::MpcProgram& program, const std::vector<engine::MpcCells>& inputs,
              const RunOptions& options, const engine::PublicRandomKey& key,
              const ProtocolChoice& choice, net::Rank n_parties) -> std::vector<mpc::PartyWork>;

/// Does the party of `rank` need a value for the input?
auto is_given_to(const MpcSeat& seat, const engine::MpcProgram& program, size_t index,
                 net::Rank rank) -> bool;

/// What a run cost, of the results of those that took part.
auto costs_of(const std::vector<mpc::PartyResult>& results, mpc::ProtocolKind protocol) -> MpcCosts;

/// The model of what operations cost.
auto costs_for(mpc::ProtocolKind protocol, net::Rank n_parties)
    -> std::unique_ptr<mpc_model::ProtocolCosts>;

/// Shows rounds beside how many the program is expected to take, if that is known before it runs.
auto rounds_on(PhaseLine& line, const engine::MpcProgram& program, mpc::ProtocolKind protocol,
               net::Rank n_parties) -> mpc::RoundWatch;

}  // namespace tacet::cli
