#include "engine/he/wide_noise.h"

#include <gtest/gtest.h>

#include "engine/ring/aligned.h"
#include "engine/ring/primes.h"
#include "engine/secure_random/test_seed.h"

namespace tacet::he {
namespace {

/// The same numbers word by word, by the processor's division.
auto slow_residue(std::span<const uint64_t> words, size_t n, size_t i, unsigned bits, uint64_t q)
    -> uint64_t {
  const size_t n_words = words.size() / n;
  unsigned __int128 sum = 0;
  for (size_t word = n_words; word-- > 0;) {
    const uint64_t drawn = words[word * n + i];
    const uint64_t kept = word + 1 == n_words ? drawn >> (64 * n_words - bits) : drawn;
    sum = ((sum << 64) % q + kept) % q;
  }
  uint64_t centre = 1;
  for (unsigned bit = 0; bit + 1 < bits; ++bit) {
    centre = 2 * centre % q;
  }
  return static_cast<uint64_t>((sum + q - centre) % q);
}

TEST(WideNoise, ResiduesAreThoseOfTheDrawnNumbers) {
  constexpr size_t kN = 64;
  for (const Isa isa : supported_isas()) {
    for (const unsigned bits :
         {1U, 2U, 31U, 32U, 33U, 63U, 64U, 65U, 96U, 127U, 128U, 129U, 500U}) {
      const auto seed = secure_random::TestSeed::of(bits);
      secure_random::SecureRandom random = secure_random::seeded_random(seed, isa);
      const WideNoise noise(kN, bits, random);
      secure_random::SecureRandom again = secure_random::seeded_random(seed, isa);
      SecureVector<uint64_t> words(kN * ((bits + 63) / 64));
      again.fill_words(words);
      for (const unsigned prime_bits : {20U, 36U, 50U}) {
        const Modulus q(ring::largest_primes(prime_bits, 2 * kN, 1)[0]);
        ring::AlignedWords residues(kN);
        noise.residues(ring::kernels_for(isa), q, residues.data());
        for (size_t i = 0; i < kN; ++i) {
          ASSERT_EQ(residues[i], slow_residue(words, kN, i, bits, q.value))
              << isa_name(isa) << ", " << bits << " bits, modulus " << q.value;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tacet::he
