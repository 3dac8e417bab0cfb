#pragma once

#include <span>
#include <string>

#include "engine/program/mpc/program.h"

/// The type schemes of MPC instructions. Those of the language's operators are in `operators.def`,
/// which the compiler checks bodies with.
namespace tacet::engine {

/// Why an instruction with such operands cannot have a result of this type; empty if it can. Public
/// operands may have a secret result only where `narrow` says so, and of `copy`.
///
/// Between the language's operators and these there are three differences, each one wider:
/// multiplication takes an integer beside a fixed-point number (what `promote` says, without lift
/// and truncation), addition and comparison take fixed-point numbers of equal fraction bits alone,
/// and `and`, `or`, `xor` take booleans too.
auto scheme_problem(MpcOpcode op, std::span<const MpcType> operands,
                    std::span<const int64_t> numbers, const MpcType& result) -> std::string;

/// `mul :: type(V0, D0) -> type(V1, D1) -> type(narrow(V0, V1), promote(D0, D1))`.
auto scheme_text(MpcOpcode op) -> std::string;

}  // namespace tacet::engine
