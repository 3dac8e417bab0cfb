#pragma once

#include <memory>

#include "engine/mpc/protocol.h"

namespace tacet::mpc {

/// The protocol `aby3-active`: three parties, of which one may do whatever it wants. It learns
/// nothing; and what the others are shown is right, or the run ends: except with a probability of
/// 2^-41. No two parties conspire.
///
/// Replicated shares as those of `aby3`: a secret is x0 + x1 + x2, or x0 ^ x1 ^ x2, and party i
/// holds x_i and x_(i+1). All that parties ever send is products, owners' inputs, and parts that
/// open. So whatever a liar sends adds errors to products, which it knows: shares agree always, as
/// of each part one copy at least is an honest party's. Products are recorded, and checked all
/// together before something is opened (product_check.h). Openings are compared: one party sends
/// the missing part, the other one its digest.
///
/// Everything else is made of products. The parts of a share are secrets that two parties know, so
/// their bits need no messages: adders, bits as numbers and truncation begin with them.
/// Permutations are networks of switches, whose settings two parties know.
///
/// Deviation from `Protocol`: a probabilistic truncation is an exact one.
auto make_aby3_active() -> std::unique_ptr<Protocol>;

}  // namespace tacet::mpc
