#pragma once

#include "engine/he/bootstrapping/bootstrapper.h"
#include "engine/he/key_generation.h"
#include "engine/he_runtime/progress.h"
#include "engine/program/he/facts.h"

namespace tacet::engine {

/// Whether a program can run under these parameters: scheme, slots, modulus, primes, and special
/// primes if keys are needed.
auto check_fits(const HeProgram& program, const he::Context& context) -> Status;

/// The scales of a program of reals, one behind the other: `[n - 1]` is what messages with n primes
/// are multiplied by, or powers of them (`he::level_scales`). For programs that fit.
auto scales_of(const HeProgram& program, const he::Context& context) -> std::vector<double>;

/// What the server needs of the client besides ciphertexts. A program that never relinearises or
/// rotates, or has no numbers of the server's, leaves what it does not need empty.
struct HeEvaluationKeys {
  he::PublicKey encryption;  ///< results are hidden under it; of a joint key, inputs encrypted
  he::RelinearisationKey relinearisation;
  he::RotationKeys rotations;
  he::BootstrappingKeys bootstrapping;
};

/// The automorphisms that a program needs keys for, each once.
auto rotation_keys(const HeFacts& facts, const he::Context& context)
    -> std::vector<he::RotationKeyRequest>;
/// The primes that it needs a relinearisation key for; 0 if it needs none.
auto relinearisation_primes(const HeFacts& facts, const he::Context& context) -> size_t;
/// Whether it needs the public key: to hide results under it, or because nobody has the secret one.
auto needs_public_key(const HeFacts& facts, const he::Context& context) -> bool;
/// Whether anything is bootstrapped.
auto needs_bootstrapping(const HeFacts& facts) -> bool;

/// Exactly the keys that a program needs, for no more primes than it needs them for. Progress is
/// that of keys for rotations.
auto make_evaluation_keys(const HeFacts& facts, const he::Context& context,
                          const he::SecretKey& secret, he::SecureRandom& random,
                          const HeProgress& progress = {}) -> Result<HeEvaluationKeys>;

/// Whether these are enough, or which one is missing.
auto check_keys(const HeFacts& facts, const he::Context& context, const HeEvaluationKeys& keys)
    -> Status;

}  // namespace tacet::engine
