#include "compiler/he/lower/statement_writer.h"

#include <algorithm>
#include <optional>

#include "compiler/device/array/checked.h"

namespace tacet::he_lower {

using array::ExprId;
using array::Operator;

template <class Visit>
static void for_each_operand(array::Expr& expr, const Visit& visit) {
  if (auto* operation = std::get_if<array::Operation>(&expr.node)) {
    visit(operation->left);
    visit(operation->right);
  } else if (auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
    visit(reduction->body);
  } else if (auto* function = std::get_if<array::Function>(&expr.node)) {
    std::for_each(function->operands.begin(), function->operands.end(), visit);
  }
}

template <class Visit>
static void for_each_term(array::Expr& expr, const Visit& visit) {
  if (auto* site = std::get_if<array::Site>(&expr.node)) {
    for (array::ArrayIndex& index : site->indices) {
      std::for_each(index.terms.begin(), index.terms.end(), visit);
    }
  }
}

auto StatementWriter::number_of(ExprId id) const -> const int64_t* {
  const auto* literal = std::get_if<array::Literal>(&exprs_[id].node);
  return literal == nullptr ? nullptr : &literal->value;
}

auto StatementWriter::literal(int64_t value) -> ExprId {
  const auto found = literals_.find(value);
  return found != literals_.end() ? found->second : add({array::Literal{value}, place_});
}

auto StatementWriter::add(const array::Expr& expr) -> ExprId {
  if (const auto* operation = std::get_if<array::Operation>(&expr.node)) {
    auto [at, is_new] =
        operations_.try_emplace({operation->op, operation->left, operation->right}, ExprId{});
    at->second = is_new ? append(expr) : at->second;
    return at->second;
  }
  if (const auto* literal = std::get_if<array::Literal>(&expr.node)) {
    auto [at, is_new] = literals_.try_emplace(literal->value, ExprId{});
    at->second = is_new ? append(expr) : at->second;
    return at->second;
  }
  return append(expr);
}

auto StatementWriter::append(const array::Expr& expr) -> ExprId {
  std::set<array::DimId> dims;
  array::Expr copy = expr;
  for_each_operand(copy, [&](ExprId operand) {
    dims.insert(free_dims_[operand.index].begin(), free_dims_[operand.index].end());
  });
  for_each_term(copy, [&](array::IndexTerm& term) { dims.insert(term.dim); });
  if (const auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
    dims.erase(reduction->dim);
  }
  free_dims_.push_back(std::move(dims));
  return exprs_.add(expr);
}

auto StatementWriter::finish(array::Statement statement, ExprId root) const -> array::Statement {
  const size_t n = exprs_.size();
  std::vector<bool> is_used(n, false);
  std::vector<bool> has_dim(statement.dims.size(), false);
  is_used[root.index] = true;
  for (array::DimId dim : statement.shape) {
    has_dim[dim.index] = true;
  }
  for (size_t i = n; i-- > 0;) {
    if (is_used[i]) {
      array::Expr expr = exprs_[ExprId{static_cast<uint32_t>(i)}];
      for_each_operand(expr, [&](ExprId operand) { is_used[operand.index] = true; });
      if (const auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
        has_dim[reduction->dim.index] = true;
      }
    }
  }
  Store<array::DimId, array::Dim> dims;
  std::vector<array::DimId> dim_numbers(statement.dims.size());
  for (uint32_t i = 0; i < has_dim.size(); ++i) {
    dim_numbers[i] = has_dim[i] ? dims.add(statement.dims[array::DimId{i}]) : array::DimId{};
  }
  Store<ExprId, array::Expr> exprs;
  std::vector<ExprId> numbers(n);
  for (uint32_t i = 0; i < n; ++i) {
    if (!is_used[i]) {
      continue;
    }
    array::Expr expr = exprs_[ExprId{i}];
    for_each_operand(expr, [&](ExprId& operand) { operand = numbers[operand.index]; });
    for_each_term(expr, [&](array::IndexTerm& term) { term.dim = dim_numbers[term.dim.index]; });
    if (auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
      reduction->dim = dim_numbers[reduction->dim.index];
    }
    numbers[i] = exprs.add(std::move(expr));
  }
  for (array::DimId& dim : statement.shape) {
    dim = dim_numbers[dim.index];
  }
  statement.root = numbers[root.index];
  statement.exprs = std::move(exprs);
  statement.dims = std::move(dims);
  return statement;
}

auto StatementWriter::operation(Operator op, ExprId left, ExprId right) -> ExprId {
  const int64_t* a = number_of(left);
  const int64_t* b = number_of(right);
  if (a != nullptr && b != nullptr) {
    if (const array::Wrapped value = array::apply(op, *a, *b); !value.has_wrapped) {
      return literal(value.number);
    }
  }
  const int64_t neutral = op == Operator::Multiply ? 1 : 0;
  if (op == Operator::Multiply && ((a != nullptr && *a == 0) || (b != nullptr && *b == 0))) {
    return literal(0);
  }
  if (b != nullptr && *b == neutral) {
    return left;
  }
  if (a != nullptr && *a == neutral && op != Operator::Subtract) {
    return right;
  }
  return add({array::Operation{op, left, right}, place_});
}

auto StatementWriter::reduction(const array::Reduction& reduction, int64_t extent, FileRange place)
    -> ExprId {
  if (depends(reduction.body, reduction.dim)) {
    return add({reduction, place});
  }
  return reduction.op == Operator::Add ? product(literal(extent), reduction.body)
                                       : power(reduction.body, static_cast<uint64_t>(extent));
}

auto StatementWriter::power(ExprId base, uint64_t exponent) -> ExprId {
  if (exponent <= 1) {
    return exponent == 0 ? literal(1) : base;
  }
  const ExprId upper = power(base, (exponent + 1) / 2);
  return product(upper, exponent % 2 == 0 ? upper : power(base, exponent / 2));
}

/// Coefficient times power, added up; differences where that saves a product by -1.
auto StatementWriter::combination(const Coefficients& coefficients, ExprId x) -> ExprId {
  std::optional<ExprId> total;
  for (size_t i = coefficients.size(); i-- > 0;) {
    if (coefficients[i] == 0) {
      continue;
    }
    const bool is_taken_off = total && coefficients[i] < 0;
    const int64_t size = is_taken_off ? -coefficients[i] : coefficients[i];
    const ExprId powered = power(x, i);
    const ExprId term = product(literal(size), powered);
    total = !total ? term : is_taken_off ? difference(*total, term) : sum(*total, term);
  }
  return total ? *total : literal(0);
}

auto StatementWriter::evaluated(const Coefficients& coefficients, ExprId x, size_t step) -> ExprId {
  if (coefficients.size() <= step) {
    return combination(coefficients, x);
  }
  const PolynomialSplit split = split_of(coefficients.size(), step);
  ExprId giant = power(x, step);
  for (size_t i = 0; i < split.giant; ++i) {
    giant = product(giant, giant);
  }
  const auto at = coefficients.begin() + static_cast<std::ptrdiff_t>(split.at);
  const ExprId quotient = evaluated(Coefficients(at, coefficients.end()), x, step);
  const ExprId rest = evaluated(Coefficients(coefficients.begin(), at), x, step);
  return sum(product(quotient, giant), rest);
}

auto StatementWriter::polynomial(const TablePolynomial& polynomial, ExprId x) -> ExprId {
  using Form = TablePolynomial::Form;
  const ExprId shift = literal(polynomial.shift);
  const ExprId u = sum(product(literal(polynomial.factor), x), shift);
  if (polynomial.form == Form::Plain) {
    return evaluated(polynomial.coefficients, x, polynomial.plan.step);
  }
  const ExprId inner = evaluated(polynomial.coefficients, product(u, u), polynomial.plan.step);
  if (polynomial.form == Form::Even) {
    return sum(inner, product(literal(polynomial.slope), u));
  }
  const ExprId constant = literal(polynomial.constant);
  return sum(product(u, inner), constant);
}

}  // namespace tacet::he_lower
