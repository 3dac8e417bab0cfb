#pragma once

#include <string>

#include "compiler/core/syntax/tree.h"
#include "compiler/front/types/dtype.h"

namespace tacet::types {

enum class Operator : uint8_t {
#define TACET_OPERATOR(Name, text, token, arity, operands, relation, result) Name,
#include "engine/program/common/operators.def"
};

/// Sets of number kinds that an operator takes.
enum class OperandSet : uint8_t { All, Numbers, Integers, Booleans, Fixed };

/// How the second operand's kind goes with the first one's.
enum class OperandRelation : uint8_t { Equal, Promotes };

enum class OperatorResult : uint8_t { Promoted, Boolean };

/// The type of one operator, over visibilities V0, V1 and number kinds D0, D1.
struct OperatorScheme {
  std::string_view name;
  syntax::NodeKind token;
  uint8_t arity;
  OperandSet operands;
  OperandRelation relation;
  OperatorResult result;
};

auto scheme_of(Operator op) -> const OperatorScheme&;

/// The operator that `token` stands for with `arity` operands; false for `&x`, `*x` and others
/// that are no operators on values.
auto find_operator(syntax::NodeKind token, uint8_t arity, Operator& op) -> bool;

constexpr auto takes(OperandSet set, DType dtype) -> bool {
  switch (set) {
    case OperandSet::All:
      return true;
    case OperandSet::Numbers:
      return dtype != DType::Bool;
    case OperandSet::Integers:
      return is_integer(dtype);
    case OperandSet::Booleans:
      return dtype == DType::Bool;
    case OperandSet::Fixed:
      return dtype == DType::Fxp;
  }
  return false;
}

/// `mul :: type(V0, D0) -> type(V1, D1) -> type(narrow(V0, V1), promote(D0, D1))`, for hovers.
auto scheme_text(Operator op) -> std::string;

}  // namespace tacet::types
