#include "compiler/device/oblivious/secrecy.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/device/kernel/walk.h"

namespace tacet::oblivious {

using kernel::ExprId;
using kernel::StatementId;
using kernel::VariableId;

auto Secrecy::cause_of(StatementId at, VariableId variable) const -> CauseId {
  const auto& secrets = statements_[at.index].secrets;
  const auto found = std::lower_bound(
      secrets.begin(), secrets.end(), variable,
      [](const std::pair<VariableId, CauseId>& entry, VariableId v) { return entry.first < v; });
  return found != secrets.end() && found->first == variable ? found->second : CauseId();
}

auto Secrecy::control(StatementId at) const -> CauseId {
  return statements_[at.index].control;
}

auto Secrecy::cause(StatementId at, ExprId expr) const -> CauseId {
  if (statements_[at.index].secrets.empty()) {
    return {};
  }
  CauseId best;
  std::vector<ExprId> open = {expr};
  std::unordered_set<uint32_t> seen;
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (!seen.insert(id.index).second) {
      continue;
    }
    const kernel::Expr& node = kernel_->exprs[id];
    if (const auto* read = std::get_if<kernel::Read>(&node.node)) {
      const CauseId cause = cause_of(at, read->variable);
      if (cause.has_value() &&
          (!best.has_value() || causes_[cause].length < causes_[best].length)) {
        best = cause;
      }
    }
    const size_t n_before = open.size();
    visit_exprs(node, [&](ExprId operand) { open.push_back(operand); });
    std::reverse(open.begin() + static_cast<std::ptrdiff_t>(n_before), open.end());
  }
  return best;
}

auto Secrecy::path(CauseId cause) const -> std::vector<Cause> {
  std::vector<Cause> steps;
  for (CauseId at = cause; at.has_value(); at = causes_[at].from) {
    steps.push_back(causes_[at]);
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace tacet::oblivious
