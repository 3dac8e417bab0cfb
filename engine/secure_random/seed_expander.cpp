#include "engine/secure_random/seed_expander.h"

#include "base/declassify.h"
#include "base/wipe.h"

namespace tacet::secure_random {

static auto first_block(uint64_t stream) -> AesBlock {
  AesBlock block{};
  for (size_t i = 0; i < sizeof(stream); ++i) {
    block[i] = static_cast<std::byte>(stream >> (8 * i));
  }
  return block;
}

auto PublicSeed::draw(SecureRandom& random) -> PublicSeed {
  PublicSeed seed;
  random.fill(seed.bytes);
  declassify(seed.bytes.data(), seed.bytes.size());  // it is published
  return seed;
}

SeedExpander::SeedExpander(const PublicSeed& seed, uint64_t stream, Isa isa)
    : seed_(seed), blocks_(seed.bytes, first_block(stream), isa) {}

SeedExpander::~SeedExpander() {
  wipe(std::span(seed_.bytes));
}

void SeedExpander::restart(uint64_t stream) {
  blocks_.start(seed_.bytes, first_block(stream));
}

void SeedExpander::fill(std::span<std::byte> bytes) {
  blocks_.fill(bytes);
}

}  // namespace tacet::secure_random
