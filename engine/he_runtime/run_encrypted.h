#pragma once

#include "engine/he_runtime/server.h"

namespace tacet::engine {

/// What a program gave, and what that took.
struct HeRun {
  HeValues outputs;
  HeStatistics statistics;
};

/// Client and server in one process: makes the keys that the program needs, encrypts, computes and
/// decrypts. `values` has the arrays of both. An error of the text names its line.
auto run_encrypted(std::string_view text, const HeValues& values, const he::ContextRef& context,
                   he::SecureRandom& random) -> Result<HeRun>;
auto run_encrypted(const HeProgram& program, const HeValues& values, const he::ContextRef& context,
                   he::SecureRandom& random) -> Result<HeRun>;

}  // namespace tacet::engine
