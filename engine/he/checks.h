#pragma once

#include "base/result.h"
#include "engine/he/objects.h"

namespace tacet::he {

/// Errors of callers, before anything is computed from objects that do not go together.

auto check_parameters(const Context& context, const ParameterDigest& parameters,
                      std::string_view what) -> Status;
auto check_key(const Context& context, const ParameterDigest& parameters, KeyId key_id,
               const Ciphertext& ciphertext, std::string_view what) -> Status;
/// Rows that fit the context and the scheme.
auto check_plaintext(const Context& context, const Plaintext& plaintext) -> Status;
auto check_ciphertext(const Context& context, const Ciphertext& ciphertext) -> Status;
/// Two ciphertexts that may be added or multiplied: same key and number of primes.
auto check_operands(const Context& context, const Ciphertext& a, const Ciphertext& b) -> Status;

}  // namespace tacet::he
