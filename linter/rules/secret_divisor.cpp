#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/measure.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: secret-divisor
///
/// What it does: finds a division or remainder by a secret that may be 0.
/// Why: a fault would show that it is, so there is none: a quotient by 0 is 0, a remainder the
/// dividend. That value may not be meant.
/// Example: `x / s`
/// Use instead: `x / (s if s != 0 else 1)`, or declare `s: secret i64 in 1..100`.
/// Fix safety: there is none: what should come out for 0 is for the writer to say.
static void find_secret_divisor(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId at, const kernel::Statement& statement) {
    for_each_expr_of(subject, statement, [&](kernel::ExprId, const kernel::Expr& expr) {
      const auto* binary = std::get_if<kernel::Binary>(&expr.node);
      if (binary == nullptr ||
          (binary->op != types::Operator::Div && binary->op != types::Operator::Mod)) {
        return;
      }
      const std::vector<oblivious::CauseId> causes = subject.secrecy.causes(at, binary->right);
      if (causes.empty() || !may_fail(subject, expr)) {
        return;
      }
      Diagnostic* finding = findings.add_hidden_fault(
          DiagnosticCode::T5006, expr.place,
          binary->op == types::Operator::Div
              ? "secret divisor may be 0; the quotient is then 0"
              : "secret divisor may be 0; the remainder is then the dividend",
          causes);
      if (finding != nullptr) {
        add_note(*finding,
                 "no fix: handle 0, as in `x / (d if d != 0 else 1)`, or exclude it, as in `d: "
                 "secret i64 in 1..100`");
      }
    });
  });
}

auto secret_divisor() -> Rule {
  return {DiagnosticCode::T5006, "secret-divisor", RuleKind::HiddenFault, find_secret_divisor};
}

}  // namespace tacet::linter
