#pragma once

#include <string>

#include "compiler/device/array/program.h"

/// What every array program holds to, beyond what its types say.
namespace tacet::array {

/// Empty, or what is wrong with the program: ids that lead nowhere, operands behind their use,
/// arrays read before they are computed, terms out of order, a dimension outside of its reduction
/// or in two, expressions that are equal, a result of another shape.
auto find_fault(const Program& program) -> std::string;
/// The same of a statement that computes the last array.
auto find_fault(const Program& program, const Statement& statement) -> std::string;

}  // namespace tacet::array
