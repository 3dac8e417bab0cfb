#include "compiler/front/types/function_scheme.h"

#include <algorithm>

namespace tacet::types {

auto find_function_scheme(names::Builtin function) -> const FunctionScheme* {
  static constexpr FunctionScheme kSchemes[] = {
#define TACET_FUNCTION_SCHEME(Name, form, operands, scheme) \
  {names::Builtin::Name, form, OperandSet::operands, scheme},
#include "compiler/front/types/functions.def"
  };
  const auto* found =
      std::find_if(std::begin(kSchemes), std::end(kSchemes),
                   [&](const FunctionScheme& scheme) { return scheme.function == function; });
  return found == std::end(kSchemes) ? nullptr : found;
}

}  // namespace tacet::types
