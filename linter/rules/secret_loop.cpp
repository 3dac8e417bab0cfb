#include "compiler/core/diagnostics/code.h"
#include "linter/rules/cost.h"
#include "linter/rules/device.h"
#include "linter/rules/measure.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

using kernel::For;
using kernel::StatementId;
using kernel::While;

/// Reports a loop whose number of iterations depends on a secret.
static auto bound_causes(const Subject& subject, StatementId id, const For& loop)
    -> std::vector<oblivious::CauseId> {
  for (const kernel::ExprId bound : {loop.upper, loop.lower, loop.step.value_or(loop.lower)}) {
    if (std::vector<oblivious::CauseId> causes = subject.secrecy.causes(id, bound);
        !causes.empty()) {
      return causes;
    }
  }
  return {};
}

static void report(const Subject& subject, Findings& findings, StatementId id, FileRange place,
                   const std::vector<oblivious::CauseId>& causes,
                   std::optional<int64_t> iterations) {
  Diagnostic* finding = findings.add_channel(DiagnosticCode::T5002, place,
                                             "number of iterations depends on a secret", causes);
  if (finding != nullptr) {
    Cost cost;
    cost.selections = elements_written(subject.kernel, subject.kernel.statements[id]);
    cost.comparisons = 1;
    cost.iterations = iterations.value_or(1);
    add_note(*finding, cost_text(cost, subject.kernel.device));
  }
}

/// Rule: secret-loop
///
/// What it does: finds a loop whose bound or condition is secret, and whose number of iterations is
/// limited by `max` or by what is declared of its bounds. A loop without limit is T5030.
/// Why: how long it runs shows the secret.
/// Example: `for i in 0..n max 16 { x = x + t[i]; }`
/// Use instead: `for i in 0..16 { x = x + t[i] if i < n else x; }`
/// Fix safety: safe; the loop runs all iterations, and the surplus changes nothing.
static void find_secret_loop(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](StatementId id, const kernel::Statement& statement) {
    if (const auto* loop = std::get_if<For>(&statement.node)) {
      const std::vector<oblivious::CauseId> causes = bound_causes(subject, id, *loop);
      std::optional<int64_t> iterations;
      if (loop->max) {
        iterations = constant(subject, *loop->max);
      } else if (const std::optional<IterationBound> most = most_iterations(subject, *loop)) {
        iterations = most->most;
      }
      if (!causes.empty() && (iterations || loop->max)) {
        report(subject, findings, id, subject.kernel.exprs[loop->upper].place, causes, iterations);
      }
    } else if (const auto* repeat = std::get_if<While>(&statement.node)) {
      const std::vector<oblivious::CauseId> causes = subject.secrecy.causes(id, repeat->condition);
      if (!causes.empty() && repeat->max) {
        report(subject, findings, id, subject.kernel.exprs[repeat->condition].place, causes,
               constant(subject, *repeat->max));
      }
    }
  });
}

auto secret_loop() -> Rule {
  return {DiagnosticCode::T5002, "secret-loop", RuleKind::Channel, find_secret_loop};
}

}  // namespace tacet::linter
