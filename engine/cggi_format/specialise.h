#pragma once

#include "engine/cggi_format/program.h"

namespace tacet::engine {

/// The program for the server's numbers that are given: same inputs, same results for them, no more
/// bootstraps, and noise within the same failure probability. What depends on known bits alone is
/// constant; gates with a known operand are simpler or vanish; equal gates are one; what no result
/// needs is removed. Which gates are left depends on the numbers, and so does the time they take.
///
/// `server_bits` are the bits of the server's inputs in their order. The program must be valid.
/// O(gates log gates).
auto specialised(const CggiProgram& program, std::span<const uint8_t> server_bits) -> CggiProgram;

}  // namespace tacet::engine
