#include "compiler/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

static auto is_shift(types::Operator op) -> bool {
  return op == types::Operator::Shl || op == types::Operator::Shr || op == types::Operator::Ashr;
}

/// Rule: secret-shift
///
/// What it does: finds a shift by a secret distance that may be out of range.
/// Why: shifting by a secret distance is no fault, which everybody would see: the distance is taken
/// modulo the width.
/// Example: `x << s`
/// Use instead: `x << (s & 63)`, or declare `s: secret i64 in 0..64`.
/// Fix safety: there is none: what should come out for other distances is for the writer to say.
static void check(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId at, const kernel::Statement& statement) {
    for_each_expr_of(subject, statement, [&](kernel::ExprId, const kernel::Expr& expr) {
      const auto* binary = std::get_if<kernel::Binary>(&expr.node);
      if (binary == nullptr || !is_shift(binary->op)) {
        return;
      }
      const oblivious::CauseId cause = subject.secrecy.cause(at, binary->right);
      const auto width = engine::bit_width(expr.type.element.kind);
      if (!cause.has_value() ||
          subject.ranges.of(binary->right).is_within({0, static_cast<__int128>(width) - 1})) {
        return;
      }
      Diagnostic* finding = findings.add_channel(
          DiagnosticCode::T5007, expr.place,
          "the distance is a secret that may be out of range, and is taken modulo the width then",
          cause);
      if (finding != nullptr) {
        add_note(
            *finding,
            "no fix: cut the distance, as in `x << (s & 63)`, or say that others do not occur, as "
            "in `s: secret i64 in 0..64`");
      }
    });
  });
}

auto secret_shift() -> Rule {
  return {DiagnosticCode::T5007, "secret-shift", RuleKind::Channel, check};
}

}  // namespace tacet::linter
