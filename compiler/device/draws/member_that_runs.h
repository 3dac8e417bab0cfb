#pragma once

#include <functional>

#include "compiler/spec/program/frontend.h"

namespace tacet::draws {

/// What runs on the reference device for a call of `item`: itself, or a member of its class, all of
/// which compute the same. Of a class that is the first specification, else the first device
/// function, else the first extern that the host has, else the first extern, whose absence is then
/// reported; none if the class has no member that could. An extern that the host lacks is replaced
/// by another member of its class.
auto member_that_runs(const program::FrontendSnapshot& snapshot, names::ItemId item,
                      const std::function<bool(names::ItemId)>& is_available) -> names::ItemId;

}  // namespace tacet::draws
