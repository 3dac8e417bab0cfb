#pragma once

#include <unordered_map>

#include "compiler/device/kernel/walk.h"

namespace tacet::oblivious {

/// `expr` with each operand replaced by what `operand` says; `expr` itself if nothing changed.
template <class Operand>
auto with_operands(kernel::Kernel& kernel, kernel::ExprId expr, Operand operand) -> kernel::ExprId {
  kernel::Expr copy = kernel.exprs[expr];
  bool is_changed = false;
  kernel::visit_exprs(copy, [&](kernel::ExprId& id) {
    const kernel::ExprId replaced = operand(id);
    is_changed |= replaced != id;
    id = replaced;
  });
  return is_changed ? kernel.exprs.add(std::move(copy)) : expr;
}

/// Replaces what the statement itself evaluates, not what its blocks do, by what `value` says.
template <class Value>
void replace_exprs(kernel::Kernel& kernel, kernel::StatementId id, Value value) {
  kernel::Statement copy = kernel.statements[id];
  kernel::visit_exprs(copy, [&](kernel::ExprId& expr) { expr = value(expr); });
  kernel.statements[id] = std::move(copy);
}

/// Replaces the blocks of a statement by what `block` makes of them.
template <class MakeBlock>
void replace_blocks(kernel::Kernel& kernel, kernel::StatementId id, MakeBlock make) {
  kernel::Statement copy = kernel.statements[id];
  kernel::visit_blocks(copy, [&](kernel::Block& block) { block = make(kernel::Block(block)); });
  kernel.statements[id] = std::move(copy);
}

/// What variables stand for elsewhere.
using Renames = std::unordered_map<kernel::VariableId, kernel::VariableId>;

/// `expr` with variables renamed; those that `renames` does not have stay.
auto renamed(kernel::Kernel& kernel, kernel::ExprId expr, const Renames& renames) -> kernel::ExprId;

}  // namespace tacet::oblivious
