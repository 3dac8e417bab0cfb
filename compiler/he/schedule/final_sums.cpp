#include "compiler/he/schedule/final_sums.h"

#include <algorithm>
#include <utility>

#include "compiler/he/schedule/gather.h"
#include "compiler/he/schedule/operate.h"

namespace tacet::schedule {

using array::ExprId;
using array::Operator;
using circuit::NodeKind;

/// By expression: whether sums may be pending of its value.
static auto may_be_pending(const array::Statement& statement) -> std::vector<bool> {
  std::vector<bool> result;
  for (const array::Expr& expr : statement.exprs.values()) {
    bool is_pending = false;
    if (const auto* operation = std::get_if<array::Operation>(&expr.node)) {
      is_pending = result[operation->left.index] || result[operation->right.index];
    } else if (const auto* reduction = std::get_if<array::Reduction>(&expr.node)) {
      is_pending = reduction->op == Operator::Add;
    }
    result.push_back(is_pending);
  }
  return result;
}

auto only_added(const array::Statement& statement) -> std::vector<bool> {
  const std::vector<bool> is_pending = may_be_pending(statement);
  std::vector<bool> result(statement.exprs.size(), true);
  for (size_t i = result.size(); i-- > 0;) {
    const auto use = [&](ExprId operand, bool is_added) {
      result[operand.index] = result[operand.index] && is_added;
    };
    const auto& node = statement.exprs[ExprId{static_cast<uint32_t>(i)}].node;
    if (const auto* operation = std::get_if<array::Operation>(&node)) {
      const bool is_product = operation->op == Operator::Multiply;
      use(operation->left, result[i] && !(is_product && is_pending[operation->right.index]));
      use(operation->right, result[i] && !(is_product && is_pending[operation->left.index]));
    } else if (const auto* reduction = std::get_if<array::Reduction>(&node)) {
      use(reduction->body, result[i] && reduction->op == Operator::Add);
    } else if (const auto* function = std::get_if<array::Function>(&node)) {
      for (const ExprId operand : function->operands) {
        use(operand, false);
      }
    }
  }
  return result;
}

/// Whether `value` is the same at all digits that are pending of the other.
static auto is_same_along(const Value& value, const std::vector<Pending>& pending) -> bool {
  return std::all_of(pending.begin(), pending.end(),
                     [&](const Pending& other) { return value.along[other.axis] == Along::Same; });
}

static void keep_first(const Frame& frame, const std::vector<Pending>& pending, Value& value,
                       CircuitWriter& writer) {
  std::vector<uint32_t> axes;
  for (const Pending& other : pending) {
    axes.push_back(other.axis);
  }
  const std::optional<int64_t> number = writer.number(value.node);
  if (number == 0) {
    value.pending = pending;
    return;
  }
  Gathered first = masked_number(frame, 0, axes, static_cast<double>(number.value_or(1)), nullptr);
  const circuit::NodeId mask = writer.input(std::move(first.family), std::move(first.indices));
  value.node = number ? mask : writer.operation(NodeKind::Multiply, value.node, mask);
  value.pending = pending;
}

/// Whether no axis of one is right at its first digit only where the other varies.
static auto need_no_spreading(const Value& summed, const Value& other) -> bool {
  for (size_t axis = 0; axis < summed.along.size(); ++axis) {
    if (summed.along[axis] == Along::First && other.along[axis] == Along::Varies) {
      return false;
    }
  }
  return true;
}

auto operate_before_sums(const Frame& frame, Operator op, Value left, Value right,
                         CircuitWriter& writer) -> Value {
  const bool is_left_summed = !left.pending.empty();
  Value& summed = is_left_summed ? left : right;
  Value& other = is_left_summed ? right : left;
  const bool waits = !summed.pending.empty() && other.pending.empty() &&
                     is_same_along(other, summed.pending) && need_no_spreading(summed, other) &&
                     (op == Operator::Multiply || writer.is_native(other.node));
  if (!waits) {
    return operate(frame, op, std::move(left), std::move(right), writer);
  }
  if (op != Operator::Multiply) {
    keep_first(frame, summed.pending, other, writer);
    return operate(frame, op, std::move(left), std::move(right), writer);
  }
  std::vector<Pending> pending = std::exchange(summed.pending, {});
  Value value = operate(frame, op, std::move(left), std::move(right), writer);
  value.pending = std::move(pending);
  return value;
}

auto can_be_left(const Value& root) -> bool {
  const std::vector<Pending>& pending = root.pending;
  const auto is_varying = [&](const Pending& one) { return root.along[one.axis] == Along::Varies; };
  return std::adjacent_find(pending.begin(), pending.end(),
                            [](const Pending& a, const Pending& b) { return a.axis == b.axis; }) ==
             pending.end() &&
         std::none_of(pending.begin(), pending.end(), is_varying);
}

}  // namespace tacet::schedule
