#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/core/diagnostics/code.h"
#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/mpc/lower/fixed_ranges.h"
#include "engine/program/mpc/program.h"

/// Private to this folder: fixed-point numbers that leave their type or the range of a function.
namespace tacet::mpc_lower {

/// A diagnostic of an instruction, at the source line that the instruction carries.
struct FixedFinding {
  DiagnosticCode code{};
  Severity severity = Severity::Error;
  uint32_t line = 0;  ///< of the instruction; 0: the whole program
  std::string message;
  std::string note;
  /// Why: the ranges of what it is computed from, as a tree of `Reason`s.
  struct Part {
    uint32_t depth = 0;
    uint32_t line = 0;  ///< 0: none
    std::string text;
  };
  std::vector<Part> reasons{};
};

/// Results that leave their type whatever the inputs are, and those that may; arguments for which a
/// function has no value. `ranges` are those of the program modulo 2^128.
auto find_results_out_of_range(const engine::MpcProgram& program, const FixedRanges& ranges)
    -> std::vector<FixedFinding>;

}  // namespace tacet::mpc_lower
