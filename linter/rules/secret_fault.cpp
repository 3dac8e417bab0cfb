#include "compiler/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/measure.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Can a store fail that is not at a secret place?
static auto may_fail(const Subject& subject, const kernel::StoreElement& store) -> bool {
  const std::vector<int64_t>& extents = subject.kernel.variables[store.array].type.extents;
  for (size_t i = 0; i < store.indices.size(); ++i) {
    const bool is_lenient = (store.lenient >> i & 1) != 0;
    if (!is_lenient && !subject.ranges.of(store.indices[i]).is_within({0, extents[i] - 1})) {
      return true;
    }
  }
  return false;
}

/// Rule: secret-fault
///
/// What it does: finds what may fail where a secret decides whether it runs at all.
/// Why: a fault would show that the secret let it run, so there is none: a quotient by 0 is 0, a
/// remainder the dividend, a distance is taken modulo the width, and nothing is written outside.
/// Example: `if s { x = a / b; }`
/// Use instead: `x = a / (b if b != 0 else 1) if s else x;`, or bounds that rule failure out.
/// Fix safety: that of the statement around; the compiler keeps the fault away.
static void check(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId at, const kernel::Statement& statement) {
    const oblivious::CauseId control = subject.secrecy.control(at);
    if (!control.has_value()) {
      return;
    }
    const auto add = [&](FileRange place) {
      findings.add_channel(
          DiagnosticCode::T5008, place,
          "a secret decides whether this is reached, so a fault gives a value instead", control);
    };
    const auto* store = std::get_if<kernel::StoreElement>(&statement.node);
    if (store != nullptr && may_fail(subject, *store)) {
      add(statement.place);
    }
    for_each_expr_of(subject, statement, [&](kernel::ExprId, const kernel::Expr& expr) {
      const auto* binary = std::get_if<kernel::Binary>(&expr.node);
      if (may_fail(subject, expr) && !subject.secrecy.is_secret(at, binary->right)) {
        add(expr.place);
      }
    });
  });
}

auto secret_fault() -> Rule {
  return {DiagnosticCode::T5008, "secret-fault", RuleKind::Channel, check};
}

}  // namespace tacet::linter
