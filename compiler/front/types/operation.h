#pragma once

#include "compiler/front/types/operator_scheme.h"
#include "engine/program/common/arithmetic.h"

/// What the operators of the language are on one element.
namespace tacet::types {

/// Of an operator of two operands. `&&` and `||` are bitwise on the bits that truth is.
auto binary_operation(Operator op) -> engine::BinaryOperation;
/// Of an operator of one operand.
auto unary_operation(Operator op) -> engine::UnaryOperation;

}  // namespace tacet::types
