#include "compiler/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/measure.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: secret-choice
///
/// What it does: finds `a if s else b` with a secret `s` where a public operand may be a fault of
/// `a` or `b`.
/// Why: only the one that is chosen is computed, and a fault would show the secret, so it gives a
/// value instead. A choice between expressions that cannot fail is no branch: every device computes
/// both and selects.
/// Example: `x / n if s else 0`
/// Use instead: `x / (n if n != 0 else 1) if s else 0`
/// Fix safety: safe where the compiler can keep the fault away.
static void check(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId at, const kernel::Statement& statement) {
    for_each_expr_of(subject, statement, [&](kernel::ExprId, const kernel::Expr& expr) {
      const auto* select = std::get_if<kernel::Select>(&expr.node);
      if (select == nullptr || select->is_oblivious) {
        return;
      }
      const oblivious::CauseId cause = subject.secrecy.cause(at, select->condition);
      if (cause.has_value() && (may_fail_inside(subject, at, select->then) ||
                                may_fail_inside(subject, at, select->otherwise))) {
        findings.add_channel(DiagnosticCode::T5010, subject.kernel.exprs[select->condition].place,
                             "a secret decides which of two expressions is computed, and one may "
                             "fail",
                             cause);
      }
    });
  });
}

auto secret_choice() -> Rule {
  return {DiagnosticCode::T5010, "secret-choice", RuleKind::Channel, check};
}

}  // namespace tacet::linter
