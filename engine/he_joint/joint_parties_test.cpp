#include "engine/he_joint/joint_parties_test.h"

#include "engine/secure_random/test_seed.h"

namespace tacet::he::joint {

auto random_for_test(uint64_t seed) -> SecureRandom {
  return secure_random::seeded_random(secure_random::TestSeed::of(seed), best_isa());
}

}  // namespace tacet::he::joint
