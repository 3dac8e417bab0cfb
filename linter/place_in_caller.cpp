#include "linter/place_in_caller.h"

#include <algorithm>

#include "compiler/device/kernel/walk.h"

namespace tacet::linter {

using kernel::ExprId;
using kernel::StatementId;

/// The call whose inlined text has a node; null if none has.
template <class Has>
static auto find_call(const std::vector<kernel::InlinedCall>& calls, const Has& has)
    -> const kernel::InlinedCall* {
  const auto found = std::find_if(calls.begin(), calls.end(), has);
  return found == calls.end() ? nullptr : &*found;
}

auto place_in_caller(const kernel::Lowering& lowering, const oblivious::Secrecy& secrecy,
                     FileRange place) -> std::optional<FileRange> {
  const kernel::Kernel& kernel = *lowering.kernel;
  std::optional<FileRange> found;
  bool is_decided = false;
  const auto consider = [&](const kernel::InlinedCall* call, StatementId at) {
    const bool decides = secrecy.control(at).has_value();
    if (call != nullptr && (!found || (decides && !is_decided))) {
      found = call->place;
      is_decided = decides;
    }
  };
  kernel::walk_statements(kernel, kernel.body, [&](StatementId at) {
    if (!secrecy.is_reached(at)) {
      return;
    }
    if (kernel.statements[at].place == place) {
      consider(find_call(lowering.inlined,
                         [&](const kernel::InlinedCall& call) {
                           return call.statements.contains(at.index);
                         }),
               at);
    }
    kernel::visit_exprs(kernel.statements[at], [&](ExprId root) {
      kernel::walk_exprs(kernel, root, [&](ExprId expr) {
        if (kernel.exprs[expr].place == place) {
          consider(find_call(lowering.inlined,
                             [&](const kernel::InlinedCall& call) {
                               return call.exprs.contains(expr.index);
                             }),
                   at);
        }
      });
    });
  });
  return found;
}

}  // namespace tacet::linter
