#include "compiler/core/diagnostics/code.h"
#include "linter/rules/cost.h"
#include "linter/rules/device.h"
#include "linter/rules/measure.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: secret-branch
///
/// What it does: finds an `if` whose condition is secret.
/// Why: which arm runs shows in the time, in what is addressed and in what is computed.
/// Example: `if s < 0 { x = 0; }`
/// Use instead: `x = 0 if s < 0 else x;`
/// Fix safety: safe; both arms are computed, and faults of the arm that is not meant are kept away.
static void find_secret_branch(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId id, const kernel::Statement& statement) {
    const auto* branch = std::get_if<kernel::If>(&statement.node);
    if (branch == nullptr) {
      return;
    }
    const std::vector<oblivious::CauseId> causes = subject.secrecy.causes(id, branch->condition);
    if (causes.empty()) {
      return;
    }
    Diagnostic* finding =
        findings.add_channel(DiagnosticCode::T5001, subject.kernel.exprs[branch->condition].place,
                             "branch condition depends on a secret", causes);
    if (finding != nullptr) {
      Cost cost;
      cost.selections = elements_written(subject.kernel, statement);
      add_note(*finding, cost_text(cost, subject.kernel.device));
    }
  });
}

auto secret_branch() -> Rule {
  return {DiagnosticCode::T5001, "secret-branch", RuleKind::Channel, find_secret_branch};
}

}  // namespace tacet::linter
