#pragma once

#include <vector>

#include "compiler/device/array/program.h"

/// Private to this folder.
namespace tacet::array {

/// The operands of an operation, function or reduction, in order; none of others.
inline auto operands_of(const Expr& expr) -> std::vector<ExprId> {
  if (const auto* operation = std::get_if<Operation>(&expr.node)) {
    return {operation->left, operation->right};
  }
  if (const auto* reduction = std::get_if<Reduction>(&expr.node)) {
    return {reduction->body};
  }
  const auto* function = std::get_if<Function>(&expr.node);
  return function == nullptr ? std::vector<ExprId>() : function->operands;
}

}  // namespace tacet::array
