#pragma once

#include "engine/program/he/program.h"

namespace tacet::engine {

/// What `validate` looks at last, when every name and kind is good: runs the program without
/// numbers. Is every index in range, every operand assigned and fit for its instruction, every
/// element of every output given once?
auto check_flow(const HeProgram& program) -> Status;

}  // namespace tacet::engine
