#include "compiler/front/types/operator_scheme.h"

#include <fmt/format.h>

namespace tacet::types {

using syntax::NodeKind;

namespace {

constexpr OperatorScheme kSchemes[] = {
#define TACET_OPERATOR(Name, text, token, arity, operands, relation, result) \
  {text,                                                                     \
   NodeKind::token,                                                          \
   arity,                                                                    \
   OperandSet::operands,                                                     \
   OperandRelation::relation,                                                \
   OperatorResult::result},
#include "engine/program/common/operators.def"
};

}  // namespace

auto scheme_of(Operator op) -> const OperatorScheme& {
  return kSchemes[static_cast<size_t>(op)];
}

auto find_operator(NodeKind token, uint8_t arity, Operator& op) -> bool {
  for (size_t i = 0; i < std::size(kSchemes); ++i) {
    if (kSchemes[i].token == token && kSchemes[i].arity == arity) {
      op = static_cast<Operator>(i);
      return true;
    }
  }
  return false;
}

auto scheme_text(Operator op) -> std::string {
  const OperatorScheme& scheme = scheme_of(op);
  const bool is_boolean = scheme.result == OperatorResult::Boolean;
  if (scheme.arity == 1) {
    return fmt::format("{} :: type(V0, D0) -> type(V0, {})", scheme.name,
                       is_boolean ? "bool" : "D0");
  }
  const bool promotes = scheme.relation == OperandRelation::Promotes;
  return fmt::format("{} :: type(V0, D0) -> type(V1, {}) -> type(narrow(V0, V1), {})", scheme.name,
                     promotes ? "D1" : "D0",
                     is_boolean ? "bool"
                     : promotes ? "promote(D0, D1)"
                                : "D0");
}

}  // namespace tacet::types
