#pragma once

#include <memory>

#include "compiler/he/lower/choose_encryption.h"
#include "compiler/he/lower/prime_finder.h"

namespace tacet::he_lower {

inline constexpr uint32_t kMostSpecialPrimes = 4;

/// The state of `choose_encryption` and `choose_real_encryption`: the program as it is relinearised
/// so far, and the limits of its ring.
struct EncryptionSearch {
  EncryptionSearch(const engine::HeProgram& from, uint64_t plain_modulus,
                   const ChoiceOptions& choice_options, std::vector<NoiseStage> noise_stages = {});

  std::shared_ptr<const std::vector<NoiseStage>> stages;  ///< of the program, if any are known
  engine::HeProgram program;  ///< with products unrolled (`with_unrolled_products`)
  Trace trace;                ///< merged
  const ChoiceOptions& options;
  size_t n;        ///< ring dimension
  unsigned limit;  ///< bits of the largest secure modulus; 0 if there is none
  PrimeFinder primes;
};

/// Replaces the program by another form of it.
void set_program(EncryptionSearch& search, engine::HeProgram program);

/// The program under a setting, with the drops of an outcome.
auto encryption_of(const EncryptionSearch& search, const Setting& setting, const Outcome& outcome)
    -> Encryption;

}  // namespace tacet::he_lower
