#pragma once

#include <optional>

#include "engine/program/mpc/program.h"

namespace tacet::engine {

/// What is wrong with a program.
struct MpcFault {
  size_t instruction = SIZE_MAX;  ///< SIZE_MAX: a declaration or an output
  std::string message;
};

/// Is it safe to run? Everything that is named exists and is defined where it is used (a register
/// that is first assigned inside of braces exists up to their end), types are as `operators.def`
/// and `mpc_scheme.h` say, indices that are in the program are in range, control is public, braces
/// match, nothing is larger than `MpcLimits`. What only shows when it runs (divisors, distances of
/// shifts, steps, places) the machine checks. Linear in the size of the program.
auto find_fault(const MpcProgram& program) -> std::optional<MpcFault>;

}  // namespace tacet::engine
