#pragma once

#include "engine/program/he/gather.h"

namespace tacet::engine {

/// The reference for every evaluator of homomorphic programs: runs a program in plaintext. With a
/// seed, slots outside of what was gathered whose content does not matter get random numbers: the
/// results of a program that keeps its promise do not change. `values` has client's and server's
/// arrays; the result has the outputs.
auto run_in_the_clear(const HeProgram& program, const HeValues& values,
                      std::optional<uint64_t> garbage_seed = std::nullopt) -> Result<HeValues>;

}  // namespace tacet::engine
