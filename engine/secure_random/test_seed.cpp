#include "engine/secure_random/test_seed.h"

namespace tacet::secure_random {

auto TestSeed::of(uint64_t number) -> TestSeed {
  TestSeed seed;
  for (size_t i = 0; i < sizeof(number); ++i) {
    seed.entropy[i] = static_cast<std::byte>(number >> (8 * i));
  }
  return seed;
}

auto seeded_random(const TestSeed& seed, Isa isa) -> SecureRandom {
  return SecureRandom(seed.entropy, isa, SecureRandom::Reseeding::Never);
}

}  // namespace tacet::secure_random
