#pragma once

#include "engine/he_format/bundle.h"
#include "engine/he_runtime/client.h"
#include "engine/he_runtime/keys.h"

namespace tacet::engine {

/// Whether results can hide the server's numbers, if they are to, and under a joint key all but the
/// results: an error for fixed-point numbers of the server's, as CKKS results cannot be hidden, for
/// results that wrap to a narrow type, as who decrypts has the number before it wraps, and under a
/// joint key for sums that share slots.
auto check_hiding(const HeBundle& bundle) -> Status;

/// For each result, in the order of `output_elements`, a message that is uniform in the slots that
/// no output reads, uniform but for the sum, which is zero, in slots that are added up, and zero in
/// those that are read alone. Of integers. An error if sums share slots.
auto masks_of_results(const HeProgram& program, const he::Context& context,
                      he::SecureRandom& random) -> Result<std::vector<he::Plaintext>>;

/// Adds to each ciphertext, of degree one, what hides the server's numbers (`he::hide`), with
/// uniform numbers in the slots that no output reads, and numbers that are uniform but for their
/// sum, which is zero, in slots that the client adds up; then drops the primes that are not needed,
/// but those of a joint key's results.
/// Adds to `costs`. An error if sums share slots, or if there is no modulus left for the noise.
auto hide_results(const HeProgram& program, const he::Context& context,
                  std::vector<he::Ciphertext> results, const he::PublicKey& key,
                  he::SecureRandom& random, HidingCosts& costs)
    -> Result<std::vector<he::Ciphertext>>;

}  // namespace tacet::engine
