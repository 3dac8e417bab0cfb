#pragma once

#include "engine/he_format/bundle.h"
#include "engine/he_runtime/client.h"
#include "engine/he_runtime/keys.h"

namespace tacet::engine {

/// Whether results can hide the server's numbers, if they are to: an error for fixed-point numbers
/// of the server's, as CKKS results cannot be hidden, and for results that wrap to a narrow type,
/// as the client decrypts the number before it wraps.
auto check_hiding(const HeBundle& bundle) -> Status;

/// Adds to each ciphertext, of degree one, what hides the server's numbers (`he::hide`), with
/// uniform numbers in the slots that no output reads, and numbers that are uniform but for their
/// sum, which is zero, in slots that the client adds up; then drops the primes that are not needed.
/// Adds to `costs`. An error if sums share slots, or if there is no modulus left for the noise.
auto hide_results(const HeProgram& program, const he::Context& context,
                  std::vector<he::Ciphertext> results, const he::PublicKey& key,
                  he::SecureRandom& random, HidingCosts& costs)
    -> Result<std::vector<he::Ciphertext>>;

}  // namespace tacet::engine
