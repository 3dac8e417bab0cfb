#include "compiler/device/loops/copy_statement.h"

#include "compiler/device/kernel/walk.h"

namespace tacet::loops {

using kernel::ExprId;
using kernel::Kernel;
using kernel::StatementId;
using kernel::VariableId;

static auto value_with(Kernel& kernel, ExprId id, const std::map<VariableId, ExprId>& by)
    -> ExprId {
  kernel::Expr expr = kernel.exprs[id];
  if (const auto* read = std::get_if<kernel::Read>(&expr.node)) {
    const auto found = by.find(read->variable);
    return found == by.end() ? id : found->second;
  }
  bool is_other = false;
  kernel::visit_exprs(expr, [&](ExprId& part) {
    const ExprId other = value_with(kernel, part, by);
    is_other = is_other || other != part;
    part = other;
  });
  return is_other ? kernel.exprs.add(std::move(expr)) : id;
}

auto copied_with(kernel::Builder& make, StatementId statement,
                 const std::map<VariableId, ExprId>& by) -> StatementId {
  Kernel& kernel = make.kernel();
  kernel::Statement copy = kernel.statements[statement];
  kernel::visit_exprs(copy, [&](ExprId& expr) { expr = value_with(kernel, expr, by); });
  kernel::visit_blocks(copy, [&](kernel::Block& block) {
    for (StatementId& inner : block) {
      inner = copied_with(make, inner, by);
    }
  });
  return kernel.statements.add(std::move(copy));
}

}  // namespace tacet::loops
