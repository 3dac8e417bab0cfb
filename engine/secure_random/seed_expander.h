#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu.h"
#include "engine/secure_random/aes_ctr.h"
#include "engine/secure_random/random_stream.h"
#include "engine/secure_random/secure_random.h"

namespace tacet::secure_random {

/// 256 bits that everyone may know and that nobody chose.
struct PublicSeed {
  AesKey bytes{};

  static auto draw(SecureRandom& random) -> PublicSeed;

  friend auto operator==(const PublicSeed&, const PublicSeed&) -> bool = default;
};

/// What a public seed stands for: the uniform halves of ciphertexts and keys are stored and sent as
/// seeds. A seed has 2^64 streams of 2^68 bytes, so that the polynomials and residues of one object
/// can be expanded in any order, by any number of threads.
///
/// The bytes are part of the format of stored objects and never change: block `j` of stream `s` is
/// the AES-256 encryption, with the seed as its key, of `s` as eight bytes, least significant
/// first, and `j` as eight bytes, most significant first.
class SeedExpander final : public RandomStream {
 public:
  SeedExpander(const PublicSeed& seed, uint64_t stream, Isa isa);
  /// Forgets the seed: parties also expand ones that only some of them know.
  ~SeedExpander() override;
  SeedExpander(const SeedExpander&) = delete;
  auto operator=(const SeedExpander&) -> SeedExpander& = delete;
  SeedExpander(SeedExpander&&) noexcept = default;
  auto operator=(SeedExpander&&) noexcept -> SeedExpander& = default;

  /// Goes to the beginning of `stream`: cheaper than another expander.
  void restart(uint64_t stream);
  void fill(std::span<std::byte> bytes) override;

 private:
  PublicSeed seed_;
  AesCtr blocks_;
};

}  // namespace tacet::secure_random
