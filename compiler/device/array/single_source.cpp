#include "compiler/device/array/single_source.h"

#include <algorithm>

namespace tacet::array {

static auto source_operands_of(const Expr& expr) -> std::vector<ExprId> {
  if (const auto* operation = std::get_if<Operation>(&expr.node)) {
    return {operation->left, operation->right};
  }
  const auto* function = std::get_if<Function>(&expr.node);
  return function == nullptr ? std::vector<ExprId>() : function->operands;
}

SingleSources::SingleSources(const Statement& statement, const KnownNumbers& numbers) {
  for (uint32_t i = 0; i < statement.exprs.size(); ++i) {
    const Expr& expr = statement.exprs[ExprId{i}];
    const bool is_leaf =
        std::holds_alternative<Site>(expr.node) || std::holds_alternative<Reduction>(expr.node);
    int64_t nearest = is_leaf ? kNone : kNumber;
    for (const ExprId operand : source_operands_of(expr)) {
      if (nearest_[operand.index] != kNumber) {
        const auto one = static_cast<int64_t>(operand.index);
        nearest = nearest == kNumber ? one : common(nearest, one);
      }
    }
    nearest = numbers[i] ? kNumber : nearest;
    nearest_.push_back(nearest);
    length_.push_back(nearest < 0 ? 0 : length_[static_cast<size_t>(nearest)] + 1);
  }
}

auto SingleSources::length(int64_t expr) const -> uint32_t {
  return expr < 0 ? 0 : length_[static_cast<size_t>(expr)] + 1;
}

/// The nearest expression that is in both chains, ends included.
auto SingleSources::common(int64_t a, int64_t b) const -> int64_t {
  while (a != b) {
    int64_t& longer = length(a) >= length(b) ? a : b;
    longer = nearest_[static_cast<size_t>(longer)];
  }
  return a;
}

auto SingleSources::of(ExprId expr) const -> std::optional<ExprId> {
  const int64_t nearest = nearest_[expr.index];
  return nearest < 0 ? std::nullopt : std::optional(ExprId{static_cast<uint32_t>(nearest)});
}

FunctionOfSource::FunctionOfSource(const Statement& statement, ExprId expr, ExprId source,
                                   const KnownNumbers& numbers)
    : statement_(statement),
      numbers_(numbers),
      source_(source),
      values_(statement.exprs.size()),
      is_visited_(statement.exprs.size(), false) {
  is_visited_[source.index] = true;
  visit(expr);
  // Operands have smaller numbers.
  std::sort(order_.begin(), order_.end());
}

void FunctionOfSource::visit(ExprId first) {
  std::vector<ExprId> open = {first};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (is_visited_[id.index]) {
      continue;
    }
    is_visited_[id.index] = true;
    order_.push_back(id);
    if (numbers_[id.index]) {
      continue;
    }
    const Expr& expr = statement_.exprs[id];
    has_functions_ = has_functions_ || std::holds_alternative<Function>(expr.node);
    for (const ExprId operand : source_operands_of(expr)) {
      open.push_back(operand);
    }
  }
}

auto FunctionOfSource::value(ExprId id) const -> Wrapped {
  return values_[id.index];
}

auto FunctionOfSource::value(const Expr& expr) const -> Wrapped {
  if (const auto* literal = std::get_if<Literal>(&expr.node)) {
    return {literal->value, false};
  }
  const std::vector<ExprId> operands = source_operands_of(expr);
  const Wrapped left = value(operands.at(0));
  const Wrapped right = value(operands.at(1));
  const auto* function = std::get_if<Function>(&expr.node);
  if (function != nullptr && function->kind == FunctionKind::Select) {
    Wrapped chosen = left.number != 0 ? right : value(operands.at(2));
    chosen.has_wrapped |= left.has_wrapped;
    return chosen;
  }
  if (function != nullptr && function->width.bits != 0) {
    return apply(function->kind, function->width, left.number, right.number);
  }
  Wrapped result = function != nullptr
                       ? apply(function->kind, function->width, left.number, right.number)
                       : apply(std::get<Operation>(expr.node).op, left.number, right.number);
  result.has_wrapped |= left.has_wrapped || right.has_wrapped;
  return result;
}

auto FunctionOfSource::at(int64_t x) -> std::optional<int64_t> {
  values_[source_.index] = {x, false};
  for (const ExprId id : order_) {
    const std::optional<int64_t>& number = numbers_[id.index];
    values_[id.index] = number ? Wrapped{*number, false} : value(statement_.exprs[id]);
  }
  const Wrapped result = values_[order_.back().index];
  return result.has_wrapped ? std::nullopt : std::optional(result.number);
}

}  // namespace tacet::array
