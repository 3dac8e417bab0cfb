#pragma once

#include <vector>

#include "compiler/device/array/program.h"

/// Private to this folder.
namespace tacet::array {

/// Numbers that are equal exactly if the expressions are, wherever they stand.
inline auto key_of(const Expr& expr) -> std::vector<int64_t> {
  std::vector<int64_t> key = {static_cast<int64_t>(expr.node.index())};
  if (const auto* literal = std::get_if<Literal>(&expr.node)) {
    key.push_back(literal->value);
  } else if (const auto* operation = std::get_if<Operation>(&expr.node)) {
    key.insert(key.end(), {static_cast<int64_t>(operation->op), operation->left.index,
                           operation->right.index});
  } else if (const auto* reduction = std::get_if<Reduction>(&expr.node)) {
    key.insert(key.end(),
               {static_cast<int64_t>(reduction->op), reduction->dim.index, reduction->body.index});
  } else if (const auto* function = std::get_if<Function>(&expr.node)) {
    key.insert(key.end(), {static_cast<int64_t>(function->kind), function->width.bits,
                           function->width.is_signed ? 1 : 0});
    for (const ExprId operand : function->operands) {
      key.push_back(operand.index);
    }
  } else if (const auto* site = std::get_if<Site>(&expr.node)) {
    key.push_back(site->array.index);
    for (const ArrayIndex& index : site->indices) {
      key.insert(key.end(), {index.offset, static_cast<int64_t>(index.terms.size())});
      for (const IndexTerm& term : index.terms) {
        key.insert(key.end(), {term.dim.index, term.stride, term.is_cyclic ? 1 : 0, term.shift});
      }
    }
  }
  return key;
}

}  // namespace tacet::array
