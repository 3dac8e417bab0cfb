#pragma once

#include <functional>
#include <memory>
#include <variant>
#include <vector>

#include "engine/mpc/protocol.h"
#include "engine/mpc/runner/party_run.h"

/// What every party does around what it computes.
namespace tacet::mpc {

/// `all` has the dealer too, if there is one.
auto make_protocol(ProtocolKind kind, bool has_dealer, net::Links& all)
    -> std::unique_ptr<Protocol>;

/// What was counted, each label behind the one that it is in.
auto traffic_of(const Traffic& traffic) -> std::vector<LabelTraffic>;

auto messages_sent(net::Links& links) -> uint64_t;

using PartyOutcome = std::variant<PartyResult, net::LinkError>;

/// Lets the last rank of `all` deal, if there is a dealer, and all others compute, with links among
/// themselves.
auto compute_or_deal(net::Links& all, bool has_dealer,
                     const std::function<PartyOutcome(net::Links&)>& compute) -> PartyOutcome;

}  // namespace tacet::mpc
