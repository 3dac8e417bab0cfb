#pragma once

#include <vector>

#include "engine/cggi/key_generation.h"
#include "engine/cggi/modulus_switch.h"
#include "engine/cggi/table.h"

/// Bootstrapping by the definitions: schoolbook products of polynomials over the integers modulo
/// 2^64, a coefficient at a time. Slow, exact, and what the kernels are tested against.
namespace tacet::cggi {

/// k + 1 polynomials, one behind the other.
using Glwe = std::vector<Torus>;

/// X^r a modulo X^N + 1, polynomial by polynomial.
auto reference_shift(const Parameters& parameters, const Glwe& a, uint32_t r) -> Glwe;

/// The sum of a GGSW ciphertext's rows times the digits of `a`.
auto reference_external_product(const Parameters& parameters, const std::vector<Torus>& ggsw,
                                const Glwe& a) -> Glwe;

/// The test polynomial rotated by the phase of `ciphertext`.
auto reference_rotate(const EvaluationKey& key, const SwitchedCiphertext& ciphertext,
                      const Table& table, Isa isa) -> Glwe;

/// Coefficient `s` as an LWE ciphertext, mask before body.
auto reference_extract(const Parameters& parameters, const Glwe& a, size_t s) -> std::vector<Torus>;

/// An LWE ciphertext under the LWE key modulo 2^32.
auto reference_switch_key(const EvaluationKey& key, const std::vector<Torus>& ciphertext, Isa isa)
    -> std::vector<uint32_t>;

/// All of it.
auto reference_bootstrap(const EvaluationKey& key, const std::vector<Torus>& ciphertext,
                         const Table& table, Isa isa) -> std::vector<std::vector<Torus>>;

}  // namespace tacet::cggi
