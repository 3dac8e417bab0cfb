#pragma once

#include "compiler/he/lower/choose_encryption.h"

namespace tacet::he_lower {

/// Chooses scale, primes and where to rescale for a program of reals, in the ring that has its
/// slots: CKKS, with results that encryption puts off by at most `precision`. Of what reaches that,
/// what takes the least time by `options.times`; of that, the smallest scale and primes. The
/// program has products and no drops; its own scale and number of primes do not matter.
///
/// Products are rescaled at once or as late as possible, results too or not (`plan_rescaling`).
/// With each of these, for one to three primes that are never dropped and some numbers of special
/// primes, the least scale is found that the model of noise says is precise enough, with primes as
/// large as the scale, and of those that stay, as large as the messages need. With the fastest of
/// these, relinearisations and rescaling are placed together (`place_jointly.h`), unless
/// `options.relinearisation` says where they are.
///
/// `stages` say how errors pass through the program where more is known than by its operations.
///
/// An error says what is missing: precision, whatever the modulus, or space in the modulus.
auto choose_real_encryption(const engine::HeProgram& program, double precision,
                            const ChoiceOptions& options, std::vector<NoiseStage> stages = {})
    -> Result<Encryption>;

}  // namespace tacet::he_lower
