#include "compiler/device/oblivious/transform_expr.h"

namespace tacet::oblivious {

using namespace kernel;

auto renamed(Kernel& kernel, ExprId expr, const Renames& renames) -> ExprId {
  if (const auto* read = std::get_if<Read>(&kernel.exprs[expr].node)) {
    const auto found = renames.find(read->variable);
    if (found == renames.end()) {
      return expr;
    }
    Expr copy = kernel.exprs[expr];
    copy.node = Read{found->second};
    return kernel.exprs.add(std::move(copy));
  }
  return with_operands(kernel, expr, [&](ExprId id) { return renamed(kernel, id, renames); });
}

}  // namespace tacet::oblivious
