#pragma once

#include "engine/mpc_model/protocol_costs.h"
#include "engine/program/common/draw.h"
#include "engine/program/mpc/types.h"

namespace tacet::mpc_model {

/// What a `draw_secret` of one function takes, to a result of `type`: as
/// engine/mpc/dispatch/secret_draws.h goes. Parts of shares are drawn without a message; what sends
/// is bringing their sum below n, or the shuffle. `fixed_ring` is that of the program.
auto cost_of_secret_draw(const ProtocolCosts& protocol, engine::DrawFunction function,
                         const engine::MpcType& type, unsigned fixed_ring) -> Cost;

}  // namespace tacet::mpc_model
