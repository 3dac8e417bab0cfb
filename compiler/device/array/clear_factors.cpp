#include "compiler/device/array/clear_factors.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "compiler/device/array/expression_pool.h"

namespace tacet::array {
namespace {

/// By expression of a statement: whether it depends on one of these arrays.
auto cipher_exprs(const Statement& statement, const std::vector<bool>& arrays)
    -> std::vector<bool> {
  std::vector<bool> result;
  for (const Expr& expr : statement.exprs.values()) {
    bool is_cipher = false;
    if (const auto* site = std::get_if<Site>(&expr.node)) {
      is_cipher = arrays[site->array.index];
    } else if (const auto* operation = std::get_if<Operation>(&expr.node)) {
      is_cipher = result[operation->left.index] || result[operation->right.index];
    } else if (const auto* reduction = std::get_if<Reduction>(&expr.node)) {
      is_cipher = result[reduction->body.index];
    } else if (const auto* function = std::get_if<Function>(&expr.node)) {
      is_cipher = result[function->operands.at(0).index];
    }
    result.push_back(is_cipher);
  }
  return result;
}

/// By expression, the dimensions that it depends on, in order.
auto free_dims_of(const Statement& statement) -> std::vector<std::vector<DimId>> {
  std::vector<std::vector<DimId>> result;
  for (const Expr& expr : statement.exprs.values()) {
    std::vector<DimId> dims;
    if (const auto* site = std::get_if<Site>(&expr.node)) {
      for (const ArrayIndex& index : site->indices) {
        for (const IndexTerm& term : index.terms) {
          dims.push_back(term.dim);
        }
      }
    } else if (const auto* operation = std::get_if<Operation>(&expr.node)) {
      dims = result[operation->left.index];
      const std::vector<DimId>& right = result[operation->right.index];
      dims.insert(dims.end(), right.begin(), right.end());
    } else if (const auto* reduction = std::get_if<Reduction>(&expr.node)) {
      dims = result[reduction->body.index];
      dims.erase(std::remove(dims.begin(), dims.end(), reduction->dim), dims.end());
    } else if (const auto* function = std::get_if<Function>(&expr.node)) {
      dims = result[function->operands.at(0).index];  // the others are numbers
    }
    std::sort(dims.begin(), dims.end());
    dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
    result.push_back(std::move(dims));
  }
  return result;
}

/// The sum, over dimensions, of a product of expressions.
struct Contraction {
  std::vector<DimId> dims;
  std::vector<ExprId> factors;
};

class Reordering {
 public:
  Reordering(const Program& program, const Statement& statement, const std::vector<bool>& ciphers)
      : statement_(statement),
        is_cipher_(cipher_exprs(statement, ciphers)),
        free_(free_dims_of(statement)),
        made_(statement.exprs.size()),
        pool_(program.arrays) {
    for (const Dim& dim : statement.dims.values()) {
      pool_.new_dim(dim.name, dim.extent);
    }
  }

  /// Nothing if there was nothing to reorder.
  auto run() -> std::optional<Statement> {
    const ExprId root = made(statement_.root);
    if (!found_ || pool_.is_full()) {
      return {};
    }
    return pool_.finish(statement_.result, root, statement_.shape);
  }

 private:
  auto made(ExprId id) -> ExprId {
    std::optional<ExprId>& known = made_[id.index];
    if (!known) {
      const ExprId result = make(id);
      made_[id.index] = result;
      return result;
    }
    return *known;
  }

  auto make(ExprId id) -> ExprId {
    const Expr& expr = statement_.exprs[id];
    if (const auto* literal = std::get_if<Literal>(&expr.node)) {
      return pool_.literal(literal->value, expr.place);
    }
    if (const auto* site = std::get_if<Site>(&expr.node)) {
      return pool_.site(*site, expr.place);
    }
    if (const auto* operation = std::get_if<Operation>(&expr.node)) {
      const ExprId right = made(operation->right);
      const ExprId left = made(operation->left);
      return pool_.operation(operation->op, left, right, expr.place);
    }
    if (const auto* function = std::get_if<Function>(&expr.node)) {
      std::vector<ExprId> operands;
      for (const ExprId operand : function->operands) {
        operands.push_back(made(operand));
      }
      return pool_.function(function->kind, function->width, std::move(operands), expr.place);
    }
    const auto& reduction = std::get<Reduction>(expr.node);
    if (reduction.op == Operator::Add && is_cipher_[id.index]) {
      const Contraction contraction = contraction_of(id);
      if (const std::vector<DimId> clear = clear_dims(contraction); !clear.empty()) {
        found_ = true;
        return reordered(contraction, clear, expr.place);
      }
    }
    return pool_.reduction(reduction.op, reduction.dim, made(reduction.body), expr.place);
  }

  auto contraction_of(ExprId id) const -> Contraction {
    const Expr& expr = statement_.exprs[id];
    if (const auto* reduction = std::get_if<Reduction>(&expr.node);
        reduction != nullptr && reduction->op == Operator::Add && is_cipher_[id.index]) {
      Contraction result = contraction_of(reduction->body);
      result.dims.push_back(reduction->dim);
      return result;
    }
    if (const auto* operation = std::get_if<Operation>(&expr.node);
        operation != nullptr && operation->op == Operator::Multiply) {
      Contraction left = contraction_of(operation->left);
      Contraction right = contraction_of(operation->right);
      if (is_apart(left, operation->right) && is_apart(right, operation->left) &&
          std::find_first_of(left.dims.begin(), left.dims.end(), right.dims.begin(),
                             right.dims.end()) == left.dims.end()) {
        left.dims.insert(left.dims.end(), right.dims.begin(), right.dims.end());
        left.factors.insert(left.factors.end(), right.factors.begin(), right.factors.end());
        return left;
      }
    }
    return {.dims = {}, .factors = {id}};
  }

  /// Whether sums pulled out of a factor would catch nothing of the other.
  [[nodiscard]] auto is_apart(const Contraction& pulled, ExprId other) const -> bool {
    return std::none_of(pulled.dims.begin(), pulled.dims.end(),
                        [&](DimId dim) { return depends_on(other, dim); });
  }

  [[nodiscard]] auto depends_on(ExprId id, DimId dim) const -> bool {
    const std::vector<DimId>& dims = free_[id.index];
    return std::binary_search(dims.begin(), dims.end(), dim);
  }

  /// The dimensions that clear factors alone depend on.
  [[nodiscard]] auto clear_dims(const Contraction& contraction) const -> std::vector<DimId> {
    std::vector<DimId> result;
    for (const DimId dim : contraction.dims) {
      if (std::none_of(contraction.factors.begin(), contraction.factors.end(), [&](ExprId factor) {
            return is_cipher_[factor.index] && depends_on(factor, dim);
          })) {
        result.push_back(dim);
      }
    }
    return result;
  }

  auto reordered(const Contraction& contraction, const std::vector<DimId>& clear, FileRange place)
      -> ExprId {
    std::optional<ExprId> inner;
    std::optional<ExprId> outer;
    const auto multiply = [&](std::optional<ExprId>& product, ExprId factor) {
      product = product ? pool_.operation(Operator::Multiply, *product, factor, place) : factor;
    };
    for (const ExprId factor : contraction.factors) {
      const bool is_inner = std::any_of(clear.begin(), clear.end(),
                                        [&](DimId dim) { return depends_on(factor, dim); });
      multiply(is_inner ? inner : outer, made(factor));
    }
    TACET_CHECK(inner && outer, "every dimension is one of some factor, and some are secret");
    for (const DimId dim : clear) {
      inner = pool_.reduction(Operator::Add, dim, *inner, place);
    }
    multiply(outer, *inner);
    for (const DimId dim : contraction.dims) {
      if (std::find(clear.begin(), clear.end(), dim) == clear.end()) {
        outer = pool_.reduction(Operator::Add, dim, *outer, place);
      }
    }
    return *outer;
  }

  const Statement& statement_;
  std::vector<bool> is_cipher_;
  std::vector<std::vector<DimId>> free_;
  std::vector<std::optional<ExprId>> made_;
  ExpressionPool pool_;
  bool found_ = false;
};

/// Which arrays depend on the client's, by array.
auto cipher_arrays(const Program& program) -> std::vector<bool> {
  std::vector<bool> result;
  for (const Array& array : program.arrays.values()) {
    result.push_back(array.owner == Owner::Client);
  }
  for (const Statement& statement : program.statements) {
    result[statement.result.index] = cipher_exprs(statement, result)[statement.root.index];
  }
  return result;
}

}  // namespace

auto clear_factors_first(const Program& program) -> Program {
  const std::vector<bool> ciphers = cipher_arrays(program);
  Program result = program;
  for (Statement& statement : result.statements) {
    if (std::optional<Statement> better = Reordering(program, statement, ciphers).run()) {
      statement = std::move(*better);
    }
  }
  return result;
}

}  // namespace tacet::array
