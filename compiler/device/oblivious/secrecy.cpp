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

/// Calls `visit` for the cause of every secret in an expression.
template <class Visit>
void Secrecy::visit_causes(StatementId at, ExprId expr, const Visit& visit) const {
  if (statements_[at.index].secrets.empty()) {
    return;
  }
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
      if (const CauseId cause = cause_of(at, read->variable); cause.has_value()) {
        visit(cause);
      }
    }
    const size_t n_before = open.size();
    visit_exprs(node, [&](ExprId operand) { open.push_back(operand); });
    std::reverse(open.begin() + static_cast<std::ptrdiff_t>(n_before), open.end());
  }
}

auto Secrecy::cause(StatementId at, ExprId expr) const -> CauseId {
  CauseId best;
  visit_causes(at, expr, [&](CauseId cause) {
    if (!best.has_value() || causes_[cause].length < causes_[best].length) {
      best = cause;
    }
  });
  return best;
}

auto Secrecy::causes(StatementId at, ExprId expr) const -> std::vector<CauseId> {
  std::vector<CauseId> all;
  visit_causes(at, expr, [&](CauseId cause) {
    if (std::find(all.begin(), all.end(), cause) == all.end()) {
      all.push_back(cause);
    }
  });
  std::stable_sort(all.begin(), all.end(),
                   [&](CauseId a, CauseId b) { return causes_[a].length < causes_[b].length; });
  return all;
}

auto Secrecy::origins(CauseId cause) const -> std::vector<CauseId> {
  const Cause& step = causes_[cause];
  if (!step.from.has_value()) {
    return {};
  }
  std::vector<CauseId> all = {step.from};
  switch (step.kind) {
    case Cause::Kind::Parameter:
    case Cause::Kind::Declared:
    case Cause::Kind::Decided:
    case Cause::Kind::Counted:
    case Cause::Kind::Exit:
      return all;
    case Cause::Kind::Called:
    case Cause::Kind::Assigned:
    case Cause::Kind::Stored:
    case Cause::Kind::Branch:
    case Cause::Kind::Loop:
      break;
  }
  // What the same variable held in another iteration of a loop is the same secret.
  const VariableId variable = causes_[step.from].variable;
  for (const auto& [read, other] : statements_[step.at.index].secrets) {
    if (other != step.from && read != variable && read != step.variable) {
      all.push_back(other);
    }
  }
  return all;
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
