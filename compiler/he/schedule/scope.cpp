#include "compiler/he/schedule/scope.h"

namespace tacet::schedule {

auto dims_of(const array::Site& site) -> DimSet {
  DimSet dims = 0;
  for (const array::ArrayIndex& index : site.indices) {
    for (const array::IndexTerm& term : index.terms) {
      dims |= set_of(term.dim);
    }
  }
  return dims;
}

auto free_dims(const array::Statement& statement) -> std::vector<DimSet> {
  std::vector<DimSet> result;
  result.reserve(statement.exprs.size());
  for (const array::Expr& expr : statement.exprs.values()) {
    DimSet dims = 0;
    if (const auto* site = std::get_if<array::Site>(&expr.node)) {
      dims = dims_of(*site);
    } else if (const auto* operation = std::get_if<array::Operation>(&expr.node)) {
      dims = result[operation->left.index] | result[operation->right.index];
    } else if (const auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
      dims = result[reduction->body.index] & ~set_of(reduction->dim);
    } else if (const auto* function = std::get_if<array::Function>(&expr.node)) {
      dims = result[function->operands.at(0).index];  // the others are numbers
    }
    result.push_back(dims);
  }
  return result;
}

auto dims_together(const array::Statement& statement) -> std::vector<DimSet> {
  std::vector<DimSet> result(statement.dims.size());
  for (uint32_t dim = 0; dim < result.size(); ++dim) {
    result[dim] = DimSet{1} << dim;
  }
  DimSet shape = 0;
  for (array::DimId dim : statement.shape) {
    shape |= set_of(dim);
  }
  auto join = [&](DimSet dims) {
    for (uint32_t dim = 0; dim < result.size(); ++dim) {
      if ((dims >> dim & 1) != 0) {
        result[dim] |= dims;
      }
    }
  };
  join(shape);
  for (DimSet dims : free_dims(statement)) {
    join(dims);
  }
  return result;
}

}  // namespace tacet::schedule
