#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/run/mpc_device.h"
#include "cli/run/protocol_choice.h"
#include "engine/mpc_model/protocol_costs.h"

/// Private to this folder: what runs of parties here and of one among others have in common.
namespace tacet::cli {

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
