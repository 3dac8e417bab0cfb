#include "engine/he_joint/lagrange.h"

namespace tacet::he::joint {

auto lagrange_weight(unsigned party, PartySet participants, const Modulus& q) -> uint64_t {
  uint64_t above = 1;
  uint64_t below = 1;
  const uint64_t own = ring::reduce(point_of(party), q);
  for (const unsigned other : participants.members()) {
    if (other != party) {
      const uint64_t x = ring::reduce(point_of(other), q);
      above = ring::multiply(above, x, q);
      below = ring::multiply(below, ring::subtract(x, own, q), q);
    }
  }
  return ring::multiply(above, ring::invert(below, q), q);
}

}  // namespace tacet::he::joint
