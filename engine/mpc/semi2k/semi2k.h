#pragma once

#include <memory>

#include "engine/mpc/protocol.h"
#include "engine/mpc/semi2k/correlations.h"

namespace tacet::mpc {

/// The protocol `semi2k`: n >= 2 parties, each of which has one summand of every secret modulo the
/// ring. Secure as long as one party is honest and all follow the protocol, if their correlated
/// randomness is (`Correlations`). Products by Beaver, "Efficient Multiparty Protocols Using
/// Circuit Randomization".
///
/// Rounds and bytes are in engine/mpc_model/semi2k_costs.h.
auto make_semi2k(std::unique_ptr<Correlations> correlations) -> std::unique_ptr<Protocol>;

}  // namespace tacet::mpc
