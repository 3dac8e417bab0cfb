#pragma once

#include <variant>

#include "engine/mpc/runner/party_run.h"

/// The part of a program that the parties compute encrypted, before the rest on shares.
namespace tacet::mpc {

/// Why a protocol does not go with a part that is computed encrypted; empty if it does. Protocols
/// that tolerate a liar are refused: joint keys and shares of decryptions are not checked, so that
/// the run would promise more than holds.
auto encrypted_part_problem(const std::string& name, ProtocolKind protocol) -> std::string;

/// Why parties cannot take shares of encrypted results for a program; empty if they can, or need
/// not.
auto hand_over_problem(const engine::MpcProgram& program, ProtocolKind protocol, Rank n_parties)
    -> std::string;

/// Evaluates all hand-overs of the program over `links`, of those that compute, and puts this
/// party's shares among `inputs`, which has what this party knows. Costs of all together.
auto hand_over(net::Links& links, const engine::MpcProgram& program, const PartyWork& work,
               std::vector<std::optional<engine::MpcCells>>& inputs)
    -> std::variant<HandOverCosts, net::LinkError>;

}  // namespace tacet::mpc
