#pragma once

#include "compiler/device/array/program.h"

/// Private to this folder. Programs while they are made: constants and results in any order.
namespace tacet::array {

/// Results that depend on constants alone become constants, unless they are large or wrapped
/// around. The last statement stays.
auto with_folded_constants(Program program) -> Program;

/// Without constants and statements that the last statement does not depend on; and in order.
auto without_unused(Program program) -> Program;

/// The program with its last array where the array `at` is, and that and those behind it one
/// further.
auto with_last_array_at(const Program& program, ArrayId at) -> Program;

}  // namespace tacet::array
