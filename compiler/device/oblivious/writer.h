#pragma once

#include <optional>
#include <utility>

#include "compiler/device/kernel/build.h"

namespace tacet::oblivious {

/// What passes write again and again, in one word. What it makes never branches on a secret.
class Writer : public kernel::Builder {
 public:
  using Builder::Builder;

  /// `!condition`, or what follows the `!` of it.
  auto negation(kernel::ExprId condition) -> kernel::ExprId;
  /// `left && right`, of which both are evaluated.
  auto both(kernel::ExprId left, kernel::ExprId right) -> kernel::ExprId {
    return binary(types::Operator::Land, left, right);
  }
  /// `then if condition else otherwise`, of which both are evaluated.
  auto pick(kernel::ExprId condition, kernel::ExprId then, kernel::ExprId otherwise)
      -> kernel::ExprId {
    return select(condition, then, otherwise, kernel::Obliviousness::Oblivious);
  }
  /// 1 where `truth` is true and 0 elsewhere, of a numeric type.
  auto as_number(kernel::ExprId truth, engine::ElementType type) -> kernel::ExprId;
  auto sum(kernel::ExprId operand) -> kernel::ExprId {
    return reduce(types::Operator::Add, 0, operand);
  }
  auto counter(std::string_view name, engine::ElementType type) -> kernel::VariableId {
    return variable(name, {type, {}}, kernel::VariableKind::Counter);
  }
  auto store(kernel::VariableId array, std::vector<kernel::ExprId> indices, kernel::ExprId value)
      -> kernel::StatementId {
    return statement(kernel::StoreElement{array, std::move(indices), value});
  }
  auto branch(kernel::ExprId condition, kernel::Block then, kernel::Block otherwise = {})
      -> kernel::StatementId {
    return statement(kernel::If{condition, std::move(then), std::move(otherwise)});
  }
  /// `for counter in lower..upper { body }`.
  auto loop(kernel::VariableId counter, kernel::ExprId lower, kernel::ExprId upper,
            kernel::Block body) -> kernel::StatementId {
    return statement(kernel::For{counter, lower, upper, {}, {}, std::move(body)});
  }
};

/// The number that `expr` is, if it is a literal of an integer kind or a truth value.
auto literal_value(const kernel::Kernel& kernel, kernel::ExprId expr) -> std::optional<int64_t>;

/// Are they the same expression, node for node? Places do not count.
auto same_expr(const kernel::Kernel& kernel, kernel::ExprId a, kernel::ExprId b) -> bool;

}  // namespace tacet::oblivious
