#pragma once

#include <random>

#include "engine/program/he/program.h"

namespace tacet::he_lower {

/// A random program as a compiler makes it: no primes of its own, nothing dropped.
auto plain_program(std::mt19937_64& random, uint64_t modulus) -> engine::HeProgram;

}  // namespace tacet::he_lower
