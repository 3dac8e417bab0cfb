#pragma once

#include <span>

#include "base/cpu.h"
#include "base/executor.h"
#include "base/result.h"
#include "engine/cggi/objects.h"

/// No path and no address depends on a key.
namespace tacet::cggi {

/// Fresh keys; an error if the parameters do not pass `check_parameters`.
auto generate_secret_key(const Parameters& parameters, SecureRandom& random) -> Result<SecretKey>;

/// A key that lets anyone compute on what `secret` encrypts: GGSW encryptions of the bits of its
/// LWE key under its GLWE key, and LWE encryptions of the digits of its GLWE key under its LWE key.
/// The elements are divided among the executor's threads; the key does not depend on how.
auto generate_evaluation_key(const SecretKey& secret, SecureRandom& random, Executor& executor,
                             Isa isa) -> EvaluationKey;

/// Words of a GGSW ciphertext, and of the bodies that are stored of it.
auto ggsw_size(const Parameters& parameters) -> size_t;
auto ggsw_bodies_size(const Parameters& parameters) -> size_t;

/// The GGSW encryption of bit `element` of the LWE key: rows, a component and a level each, of k +
/// 1 polynomials.
void expand_rotation_element(const EvaluationKey& key, size_t element, std::span<uint64_t> out,
                             Isa isa);

/// The rows of bit `input` of the GLWE key: for each level n + 1 words, `stride` words apart.
void expand_key_switch_rows(const EvaluationKey& key, size_t input, size_t stride, uint32_t* out,
                            Isa isa);

}  // namespace tacet::cggi
