#pragma once

#include <memory>

#include "engine/secure_random/aes_ctr.h"

namespace tacet::secure_random {

/// By OpenSSL, and by BearSSL in the module for browsers.
auto library_aes_ctr() -> std::unique_ptr<AesCtrKernel>;

/// Whether this processor can run `vaes_aes_ctr`.
auto has_vaes() -> bool;
/// By the vector AES instructions, on 256 bits at a time: twice as fast as OpenSSL 3.0, which has
/// them for AES-GCM alone. Null where the build's target has no such instructions.
auto vaes_aes_ctr() -> std::unique_ptr<AesCtrKernel>;

}  // namespace tacet::secure_random
