#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/measure.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

static auto is_shift(types::Operator op) -> bool {
  return op == types::Operator::Shl || op == types::Operator::Shr || op == types::Operator::Ashr;
}

/// Rule: secret-shift
///
/// What it does: finds a shift by a secret distance that may be out of range.
/// Why: a fault would show that it is, so there is none: the distance is taken modulo the width.
/// That value may not be meant.
/// Example: `x << s`
/// Use instead: `x << (s & 63)`, or declare `s: secret i64 in 0..64`.
/// Fix safety: there is none: what should come out for other distances is for the writer to say.
static void find_secret_shift(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId at, const kernel::Statement& statement) {
    for_each_expr_of(subject, statement, [&](kernel::ExprId, const kernel::Expr& expr) {
      const auto* binary = std::get_if<kernel::Binary>(&expr.node);
      if (binary == nullptr || !is_shift(binary->op)) {
        return;
      }
      const std::vector<oblivious::CauseId> causes = subject.secrecy.causes(at, binary->right);
      if (causes.empty() || !may_fail(subject, expr)) {
        return;
      }
      Diagnostic* finding = findings.add_hidden_fault(
          DiagnosticCode::T5007, expr.place,
          "secret distance may be out of range; it is then taken modulo the width", causes);
      if (finding != nullptr) {
        add_note(*finding,
                 "no fix: mask the distance, as in `x << (s & 63)`, or bound it, as in `s: secret "
                 "i64 in 0..64`");
      }
    });
  });
}

auto secret_shift() -> Rule {
  return {DiagnosticCode::T5007, "secret-shift", RuleKind::HiddenFault, find_secret_shift};
}

}  // namespace tacet::linter
