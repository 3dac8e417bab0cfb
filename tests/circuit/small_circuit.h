#pragma once

#include <random>
#include <string>

#include "compiler/he/circuit/circuit.h"

namespace tacet::circuit {

inline constexpr uint64_t kModulus = 65537;

/// A circuit of these lines over vectors `x`, `w` (of the server) and `u` (uniform) of four
/// elements each, eight columns wide, with loops `i` of four and `j` of three values, whose output
/// is all of `y`.
auto circuit_with(const std::string& statements) -> Circuit;

/// The lines of a circuit that are its own.
auto statements_of(const Circuit& circuit) -> std::string;

/// Fails the test if the outputs differ for some inputs.
void expect_same(const Circuit& a, const Circuit& b, std::mt19937_64& random,
                 const std::string& what);

}  // namespace tacet::circuit
