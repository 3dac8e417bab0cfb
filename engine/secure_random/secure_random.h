#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu.h"
#include "base/result.h"
#include "engine/secure_random/aes_ctr.h"
#include "engine/secure_random/random_stream.h"

namespace tacet::secure_random {

struct TestSeed;  // engine/secure_random/test_seed.h, for tests alone

/// Where secrets come from: CTR_DRBG of NIST SP 800-90A rev. 1, section 10.2.1, with AES-256,
/// without a derivation function, seeded by the operating system.
///
/// After every request the key is replaced, so that what is in memory says nothing of what was
/// given out before. It is seeded anew after `kReseedInterval` requests, and in a process that
/// fork(2) made, before it gives out anything there.
///
/// Deviations: no personalisation string and no additional input; no health tests of the entropy,
/// which are the system's business; a request of any size is answered, as several requests of up to
/// `kMaxRequest` bytes.
///
/// One thread uses it at a time; others get their own by `fork`.
class SecureRandom final : public RandomStream {
 public:
  static constexpr size_t kMaxRequest = size_t{1} << 16;
  static constexpr uint64_t kReseedInterval = uint64_t{1} << 20;  ///< the standard allows 2^48

  /// Seeded by the operating system; an error if it has no randomness to give.
  static auto from_system(Isa isa) -> Result<SecureRandom>;

  /// Costs the change of a key a request (0.1 to 0.4 µs): ask for much at a time.
  void fill(std::span<std::byte> bytes) override;

  /// A generator for another thread, seeded by this one: neither can be distinguished from
  /// independent randomness by an observer of the other. The same calls give the same forks.
  auto fork() -> SecureRandom;

  /// Mixes fresh entropy of the operating system in.
  auto reseed() -> Status;

 private:
  /// The input of entropy: a key and a counter.
  static constexpr size_t kSeedSize = sizeof(AesKey) + sizeof(AesBlock);
  using Seed = std::array<std::byte, kSeedSize>;
  enum class Reseeding { FromSystem, Never };

  SecureRandom(const Seed& seed, Isa isa, Reseeding reseeding);
  friend auto seeded_random(const TestSeed& seed, Isa isa) -> SecureRandom;

  /// CTR_DRBG_Update: a new key and counter from the key stream and `input`.
  void update(const Seed& input);
  void answer(std::span<std::byte> bytes);
  void reseed_if_due();

  AesCtr stream_;  ///< stands at the counter after V
  Isa isa_;
  Reseeding reseeding_;
  pid_t owner_;              ///< the process it was seeded in
  uint64_t n_requests_ = 0;  ///< since it was seeded
};

}  // namespace tacet::secure_random
