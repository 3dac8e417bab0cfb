#pragma once

#include <functional>
#include <span>

#include "base/result.h"
#include "engine/he/objects.h"
#include "engine/secure_random/secure_random.h"

namespace tacet::he {

/// A uniformly random ternary secret.
auto generate_secret_key(const Context& context, SecureRandom& random) -> SecretKey;

/// The pair that anyone may encrypt with. An error if the secret is of other parameters, here and
/// below.
auto generate_public_key(const Context& context, const SecretKey& secret, SecureRandom& random)
    -> Result<PublicKey>;

/// What `relinearise` needs, for ciphertexts of up to `n_primes` data primes, or of all. An error
/// if the parameters have no special prime, here and below.
auto generate_relinearisation_key(const Context& context, const SecretKey& secret,
                                  SecureRandom& random, size_t n_primes = 0)
    -> Result<RelinearisationKey>;

/// A key to make, for ciphertexts of up to `n_primes` data primes.
struct RotationKeyRequest {
  uint64_t galois_element = 1;
  size_t n_primes = 0;
};

/// The keys for the automorphisms of these Galois elements (see `galois_element_of`), each once,
/// with the most primes that are requested. `progress` is called after each key with how many there
/// are of how many.
auto generate_requested_keys(const Context& context, const SecretKey& secret,
                             std::vector<RotationKeyRequest> requests, SecureRandom& random,
                             const std::function<void(size_t, size_t)>& progress = {})
    -> Result<RotationKeys>;

/// The same, all for ciphertexts of up to `n_primes` data primes, or of any if that is 0.
auto generate_rotation_keys(const Context& context, const SecretKey& secret,
                            std::span<const uint64_t> galois_elements, SecureRandom& random,
                            size_t n_primes = 0,
                            const std::function<void(size_t, size_t)>& progress = {})
    -> Result<RotationKeys>;

/// A key from the secret `from` to the secret `to`, both as `SecretKey::rows`, for ciphertexts of
/// up to `n_primes` data primes.
auto generate_switch_key(const Context& context, const Rows& from, const Rows& to, size_t n_primes,
                         SecureRandom& random) -> KeySwitchKey;

/// The uniform halves of a key, from its seed, which must be there: what a key is that was stored
/// as a seed.
void expand_seed(const Context& context, PublicKey& key);
void expand_seed(const Context& context, KeySwitchKey& key);
/// `parts[1]` of a ciphertext of `n_primes` data primes.
auto expand_ciphertext_seed(const Context& context, const PublicSeed& seed, size_t n_primes)
    -> Rows;

}  // namespace tacet::he
