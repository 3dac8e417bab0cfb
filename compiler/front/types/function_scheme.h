#pragma once

#include "compiler/front/names/body_names.h"
#include "compiler/front/types/operator_scheme.h"

namespace tacet::types {

/// The type of a function of numbers, as that of an operator.
struct FunctionScheme {
  names::Builtin function;
  std::string_view form;  ///< `sort_by(a, b)`
  OperandSet operands;    ///< what D0 may be
  /// `sqrt :: type(V0, D0) -> type(V0, D0)`, for hovers.
  std::string_view text;
};

/// Null if the function is no function of numbers.
auto find_function_scheme(names::Builtin function) -> const FunctionScheme*;

}  // namespace tacet::types
