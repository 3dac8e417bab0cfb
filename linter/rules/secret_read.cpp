#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "compiler/device/kernel/build.h"
#include "linter/rules/cost.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

using kernel::ExprId;
using kernel::StatementId;

static auto name_of(const Subject& subject, ExprId array) -> std::string {
  const auto* read = std::get_if<kernel::Read>(&subject.kernel.exprs[array].node);
  return read == nullptr ? "an array"
                         : fmt::format("`{}`", subject.kernel.variables[read->variable].name);
}

static void element(const Subject& subject, Findings& findings, StatementId at, ExprId id,
                    const kernel::Element& node) {
  std::vector<oblivious::CauseId> causes;
  Cost cost;
  cost.selections = kernel::n_elements(subject.kernel.exprs[id].type);
  const std::vector<int64_t>& extents = subject.kernel.exprs[node.array].type.extents;
  for (size_t i = 0; i < node.indices.size(); ++i) {
    const std::vector<oblivious::CauseId> of_index = subject.secrecy.causes(at, node.indices[i]);
    if (!of_index.empty()) {
      causes = causes.empty() ? of_index : causes;
      cost.selections *= extents[i];
      cost.comparisons += extents[i];
    }
  }
  if (causes.empty()) {
    return;
  }
  Diagnostic* finding = findings.add_channel(
      DiagnosticCode::T5003, subject.kernel.exprs[id].place,
      fmt::format("index into {} depends on a secret", name_of(subject, node.array)), causes);
  if (finding != nullptr) {
    add_note(*finding, cost_text(cost, subject.kernel.device));
  }
}

/// Rule: secret-read
///
/// What it does: finds a read of an array at a secret index, and a rotation by a secret.
/// Why: the address is visible to caches, pages and the owner of the memory.
/// Example: `t[s]`
/// Use instead: `sum(for i: 16 { t[i] * ((i == s) as i64) })`: all elements are read, and one
/// taken.
/// Fix safety: safe; beyond the end it gives 0, as before.
static void find_secret_read(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](StatementId at, const kernel::Statement& statement) {
    for_each_expr_of(subject, statement, [&](ExprId id, const kernel::Expr& expr) {
      if (const auto* node = std::get_if<kernel::Element>(&expr.node)) {
        element(subject, findings, at, id, *node);
      } else if (const auto* rotate = std::get_if<kernel::Rotate>(&expr.node)) {
        const std::vector<oblivious::CauseId> causes = subject.secrecy.causes(at, rotate->by);
        if (!causes.empty()) {
          findings.add_channel(DiagnosticCode::T5003, expr.place,
                               "rotation distance depends on a secret", causes);
        }
      }
    });
  });
}

auto secret_read() -> Rule {
  return {DiagnosticCode::T5003, "secret-read", RuleKind::Channel, find_secret_read};
}

}  // namespace tacet::linter
