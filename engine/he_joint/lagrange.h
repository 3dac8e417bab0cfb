#pragma once

#include "engine/he_joint/session.h"

namespace tacet::he::joint {

/// Where a sharing of a secret is evaluated for a party: 1, 2, … The differences are below 64, so
/// that they are invertible modulo every prime of the ring.
constexpr auto point_of(unsigned party) -> uint64_t {
  return party + 1;
}

/// What the share of `party` is multiplied by, so that these of all participants add up to the
/// secret: the product of x / (x - x_party) over the points x of the others.
auto lagrange_weight(unsigned party, PartySet participants, const Modulus& q) -> uint64_t;

}  // namespace tacet::he::joint
