#pragma once

#include <memory>

#include "engine/mpc/protocol.h"

namespace tacet::mpc {

/// The protocol `ref`: every party holds the values themselves. Nothing is secret. What runs on
/// other protocols runs on it for any number of parties, and must give the same: it is what they
/// are tested against. Truncation rounds down; only `share` sends anything.
auto make_ref() -> std::unique_ptr<Protocol>;

}  // namespace tacet::mpc
