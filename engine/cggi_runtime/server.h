#pragma once

#include <functional>

#include "engine/cggi_runtime/plan.h"
#include "engine/cggi_runtime/values.h"

namespace tacet::engine {

/// Hears how many of a program's bootstraps are done. May be empty.
using CggiProgress = std::function<void(size_t n_done, size_t n_total)>;

/// Evaluates a program on the client's encrypted inputs and the server's own, level by level.
/// Errors if the inputs are of another key or number.
///
/// The results' noise says something of the server's inputs to those who have the secret key.
auto evaluate(const CggiProgram& program, const cggi::ServerKey& key,
              const cggi::FreshCiphertexts& inputs, const CggiValues& values,
              const cggi::Batching& batching, const CggiProgress& progress)
    -> Result<cggi::Ciphertexts>;

}  // namespace tacet::engine
