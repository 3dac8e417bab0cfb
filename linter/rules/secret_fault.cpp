#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/build.h"
#include "linter/rules/device.h"
#include "linter/rules/measure.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

using kernel::ExprId;
using kernel::StatementId;
using oblivious::CauseId;

namespace {

/// Finds what a public operand would make fail, where a secret decides whether it is evaluated.
class HiddenFaults {
 public:
  HiddenFaults(const Subject& subject, Findings& findings)
      : subject_(subject), findings_(findings) {}

  void statement(StatementId at, const kernel::Statement& statement) {
    at_ = at;
    const CauseId control = subject_.secrecy.control(at);
    if (const auto* store = std::get_if<kernel::StoreElement>(&statement.node)) {
      store_element(*store, statement.place, control);
    } else if (const auto* loop = std::get_if<kernel::For>(&statement.node)) {
      if (loop->step && !subject_.ranges.of(*loop->step).is_within({1, INT64_MAX})) {
        add_public(*loop->step, subject_.kernel.exprs[*loop->step].place, control);
      }
    }
    kernel::visit_exprs(statement, [&](ExprId expr) { expression(expr, control); });
  }

 private:
  void expression(ExprId id, CauseId control) {
    const kernel::Expr& expr = subject_.kernel.exprs[id];
    const auto inside = [&](ExprId condition) {
      return control.has_value() ? control : subject_.secrecy.cause(at_, condition);
    };
    if (const auto* select = std::get_if<kernel::Select>(&expr.node)) {
      expression(select->condition, control);
      expression(select->then, inside(select->condition));
      expression(select->otherwise, inside(select->condition));
      return;
    }
    const auto* binary = std::get_if<kernel::Binary>(&expr.node);
    if (binary != nullptr && kernel::is_logical(binary->op)) {
      expression(binary->left, control);
      expression(binary->right, inside(binary->left));
      return;
    }
    if (may_fail(subject_, expr)) {
      add_public(binary->right, expr.place, control);
    }
    kernel::visit_exprs(expr, [&](ExprId operand) { expression(operand, control); });
  }

  void store_element(const kernel::StoreElement& store, FileRange place, CauseId control) {
    const std::vector<int64_t>& extents = subject_.kernel.variables[store.array].type.extents;
    for (size_t i = 0; i < store.indices.size(); ++i) {
      if (!subject_.ranges.of(store.indices[i]).is_within({0, extents[i] - 1})) {
        add_public(store.indices[i], place, control);
      }
    }
  }

  /// A secret operand is found by the rules about it.
  void add_public(ExprId operand, FileRange place, CauseId control) {
    if (control.has_value() && !subject_.secrecy.is_secret(at_, operand)) {
      findings_.add_hidden_fault(
          DiagnosticCode::T5008, place,
          "evaluation depends on a secret, so a fault yields a value instead", {control});
    }
  }

  const Subject& subject_;
  Findings& findings_;
  StatementId at_;
};

}  // namespace

/// Rule: secret-fault
///
/// What it does: finds operations that may fail because of a public operand and are evaluated or
/// not depending on a secret: under a condition, in `a if s else b`, after `s &&`.
/// Why: a fault would show the secret, so there is none: a quotient by 0 is 0, a remainder the
/// dividend, a distance is taken modulo the width, nothing is written outside of an array, and a
/// loop whose step is not positive ends after its first iteration. That may not be meant.
/// Example: `if s { x = a / b; }`
/// Use instead: `x = a / (b if b != 0 else 1) if s else x;`, or bounds that rule the fault out.
/// Fix safety: there is none: what should come out is for the writer to say.
static void find_secret_fault(const Subject& subject, Findings& findings) {
  HiddenFaults faults(subject, findings);
  for_each_reached(subject, [&](StatementId at, const kernel::Statement& statement) {
    faults.statement(at, statement);
  });
}

auto secret_fault() -> Rule {
  return {DiagnosticCode::T5008, "secret-fault", RuleKind::HiddenFault, find_secret_fault};
}

}  // namespace tacet::linter
