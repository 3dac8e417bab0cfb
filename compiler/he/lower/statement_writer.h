#pragma once

#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "compiler/device/array/program.h"
#include "compiler/he/lower/table_polynomial.h"

namespace tacet::he_lower {

/// Private to this folder: writes the expressions of a statement, each once, and simplifies what
/// literals make simple.
class StatementWriter {
 public:
  auto literal(int64_t value) -> array::ExprId;
  auto operation(array::Operator op, array::ExprId left, array::ExprId right) -> array::ExprId;
  /// Any expression whose operands are there.
  auto add(const array::Expr& expr) -> array::ExprId;

  auto sum(array::ExprId left, array::ExprId right) -> array::ExprId {
    return operation(array::Operator::Add, left, right);
  }
  auto difference(array::ExprId left, array::ExprId right) -> array::ExprId {
    return operation(array::Operator::Subtract, left, right);
  }
  auto product(array::ExprId left, array::ExprId right) -> array::ExprId {
    return operation(array::Operator::Multiply, left, right);
  }
  auto power(array::ExprId base, uint64_t exponent) -> array::ExprId;
  /// What does not depend on the dimension, of so many values, is multiplied or raised to a power.
  auto reduction(const array::Reduction& reduction, int64_t extent, FileRange place)
      -> array::ExprId;
  auto polynomial(const TablePolynomial& polynomial, array::ExprId x) -> array::ExprId;

  [[nodiscard]] auto depends(array::ExprId id, array::DimId dim) const -> bool {
    return free_dims_[id.index].count(dim) != 0;
  }
  /// The statement that computes `root` instead, with the expressions and dimensions that it needs.
  [[nodiscard]] auto finish(array::Statement statement, array::ExprId root) const
      -> array::Statement;

  /// Where the expressions that come are in the text.
  void set_place(FileRange place) { place_ = place; }

 private:
  using Coefficients = std::vector<int64_t>;

  [[nodiscard]] auto number_of(array::ExprId id) const -> const int64_t*;
  auto evaluated(const Coefficients& coefficients, array::ExprId x, size_t step) -> array::ExprId;
  auto append(const array::Expr& expr) -> array::ExprId;
  auto combination(const Coefficients& coefficients, array::ExprId x) -> array::ExprId;

  Store<array::ExprId, array::Expr> exprs_;
  std::vector<std::set<array::DimId>> free_dims_;  ///< by expression
  std::map<int64_t, array::ExprId> literals_;
  std::map<std::tuple<array::Operator, array::ExprId, array::ExprId>, array::ExprId> operations_;
  FileRange place_{};
};

}  // namespace tacet::he_lower
