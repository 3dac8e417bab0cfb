#include "engine/secure_random/secure_random.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#if defined(__APPLE__)
#include <sys/random.h>
#endif

#include "base/check.h"
#include "base/declassify.h"
#include "base/wipe.h"

namespace tacet::secure_random {

/// `counter + 1`, modulo 2^128.
static auto successor(AesBlock counter) -> AesBlock {
  unsigned carry = 1;
  for (size_t i = counter.size(); i-- > 0;) {
    carry += std::to_integer<unsigned>(counter[i]);
    counter[i] = static_cast<std::byte>(carry & 0xff);
    carry >>= 8;
  }
  return counter;
}

static auto draw_from_system(std::span<std::byte> bytes) -> Status {
  if (getentropy(bytes.data(), bytes.size()) != 0) {
    return Error{std::string("the operating system provides no randomness: ") +
                 std::strerror(errno)};
  }
  return std::monostate{};
}

SecureRandom::SecureRandom(const Seed& seed, Isa isa, Reseeding reseeding)
    : stream_(AesKey{}, successor(AesBlock{}), isa),
      isa_(isa),
      reseeding_(reseeding),
      owner_(getpid()) {
  update(seed);
}

auto SecureRandom::from_system(Isa isa) -> Result<SecureRandom> {
  Seed seed;
  ScopedWipe guard(seed);
  if (auto drawn = draw_from_system(seed); !drawn) {
    return drawn.error();
  }
  return SecureRandom(seed, isa, Reseeding::FromSystem);
}

void SecureRandom::update(const Seed& input) {
  Seed next;
  ScopedWipe guard(next);
  stream_.fill(next);
  for (size_t i = 0; i < next.size(); ++i) {
    next[i] ^= input[i];
  }
  AesKey key;
  ScopedWipe key_guard(key);
  AesBlock counter;
  std::copy_n(next.begin(), key.size(), key.begin());
  std::copy_n(next.begin() + key.size(), counter.size(), counter.begin());
  // Where the counter's words wrap around is seen in the time. Counter mode is secure with a
  // counter that everyone knows; the key, which is drawn with it, does not follow from it.
  declassify(counter.data(), counter.size());
  stream_.start(key, successor(counter));
}

auto SecureRandom::reseed() -> Status {
  Seed seed;
  ScopedWipe guard(seed);
  if (auto drawn = draw_from_system(seed); !drawn) {
    return drawn;
  }
  update(seed);
  n_requests_ = 0;
  owner_ = getpid();
  return std::monostate{};
}

void SecureRandom::reseed_if_due() {
  if (reseeding_ == Reseeding::Never) {
    return;
  }
  if (n_requests_ >= kReseedInterval || getpid() != owner_) {
    // A system that gave randomness once does not stop; if it did, no answer would be safe.
    TACET_CHECK(reseed().has_value(), "the operating system no longer provides randomness");
  }
}

void SecureRandom::answer(std::span<std::byte> bytes) {
  reseed_if_due();
  stream_.fill(bytes);
  stream_.skip_to_block();
  update(Seed{});
  ++n_requests_;
}

void SecureRandom::fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    auto request = bytes.first(std::min(bytes.size(), kMaxRequest));
    answer(request);
    bytes = bytes.subspan(request.size());
  }
}

auto SecureRandom::fork() -> SecureRandom {
  Seed seed;
  ScopedWipe guard(seed);
  fill(seed);
  return SecureRandom(seed, isa_, reseeding_);
}

}  // namespace tacet::secure_random
