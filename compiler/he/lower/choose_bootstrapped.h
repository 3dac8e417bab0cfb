#pragma once

#include "compiler/he/lower/bound_registers.h"
#include "compiler/he/lower/choose_encryption.h"

namespace tacet::he_lower {

/// Chooses primes for a program of reals that takes more levels than its ring has, and where to
/// bootstrap: as `choose_real_encryption` otherwise. Relinearisations stay where they are. An error
/// says why it cannot be.
auto choose_bootstrapped_encryption(const engine::HeProgram& program, double precision,
                                    const InputRanges& ranges, const ChoiceOptions& options)
    -> Result<Encryption>;

}  // namespace tacet::he_lower
