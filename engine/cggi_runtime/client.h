#pragma once

#include "engine/cggi/encryption.h"
#include "engine/cggi_runtime/values.h"

namespace tacet::engine {

/// The client's inputs, bit by bit. `values` may have others.
auto encrypt_inputs(const CggiProgram& program, const cggi::SecretKey& secret,
                    const CggiValues& values, cggi::SecureRandom& random, Isa isa)
    -> Result<cggi::FreshCiphertexts>;

/// What the server computed. An error if the ciphertexts are of another key or number.
auto decrypt_results(const CggiProgram& program, const cggi::SecretKey& secret,
                     const cggi::Ciphertexts& results) -> Result<CggiValues>;

}  // namespace tacet::engine
