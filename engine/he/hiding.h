#pragma once

#include "base/result.h"
#include "engine/he/objects.h"
#include "engine/secure_random/secure_random.h"

namespace tacet::he {

/// What a computation was made with can be read from its result: it is deterministic, so a client
/// with the inputs and a guess of the server's numbers can repeat it and compare, and its noise,
/// and the contents of unused slots, are functions of these numbers.
///
/// The sum of a ciphertext of degree one and
///   * an encryption of `mask` under the client's public key, which makes the parts as good as
///     random even to the owner of the secret key: they are u a + e_1 off, for u and e_1 of the
///     server;
///   * uniform numbers of [-2^(bits - 1), 2^(bits - 1)), one for each coefficient of the noise
///     (times t for BGV), as wide as `NoiseBounds::hiding_bits` has it.
/// The mask is a message: zero in the slots that are read, uniform in the others. (What a BGV
/// message is multiplied by, `CiphertextMetadata::correction`, changes neither.) The modulus must
/// be large enough for the noise: `NoiseBounds::hidden_budget` is not negative, or this is an
/// error.
auto hide(const Context& context, const PublicKey& key, Ciphertext a, const Plaintext& mask,
          unsigned bits, SecureRandom& random) -> Result<Ciphertext>;

/// Without the primes that a hidden result does not need to be decrypted: it takes less room and
/// says no more.
auto without_spare_primes(const Context& context, Ciphertext a) -> Result<Ciphertext>;

}  // namespace tacet::he
