#pragma once

#include <cstdint>
#include <cstdlib>

/// How long random tests run, and where they begin.
namespace tacet::harness {

/// The number in an environment variable, or `otherwise` without it.
inline auto number_of(const char* variable, uint64_t otherwise) -> uint64_t {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// How often something is tried: TACET_ROUNDS multiplies `n` for longer runs.
inline auto rounds(uint64_t n) -> uint64_t {
  return n * number_of("TACET_ROUNDS", 1);
}

}  // namespace tacet::harness
