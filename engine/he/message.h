#pragma once

#include "engine/he/objects.h"

namespace tacet::he {

/// Adds what a BFV or BGV message becomes in a ciphertext, times `correction` for BGV, to
/// coefficients modulo data prime `prime`: round(Q m / t), Q the product of `n_primes` primes, or
/// m.
void add_message(const Context& context, const Plaintext& plaintext, size_t n_primes, size_t prime,
                 uint64_t correction, uint64_t* row);

/// The coefficients of a BFV or BGV message, those near zero, modulo a data prime.
void lift_message(const Context& context, const Plaintext& plaintext, size_t prime, uint64_t* row);

/// The message that a BFV or BGV phase, not transformed, represents.
auto message_of(const Context& context, Rows&& phase, uint64_t correction) -> Plaintext;

}  // namespace tacet::he
