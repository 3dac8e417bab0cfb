#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/measure.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: small-max
///
/// What it does: finds a loop whose `max` is less than the iterations that its bounds may require.
/// Why: it stops too early for some values, and nothing says so when it runs on secrets.
/// Example: `for i in 0..n max 8 { … }` with `n: secret i64 in 0..17`
/// Use instead: `max 16`
/// Fix safety: unsafe; the loop then runs more iterations, so results change.
static void find_small_max(const Subject& subject, Findings& findings) {
  for (const PaddedLoop& loop : padded_loops(subject)) {
    if (!loop.iterations.is_exact || loop.iterations.most <= loop.max) {
      continue;
    }
    Diagnostic* finding =
        findings.add(DiagnosticCode::T5014, loop.place,
                     fmt::format("the loop stops after {} iterations, but its bounds may need {}",
                                 loop.max, loop.iterations.most));
    if (finding != nullptr) {
      finding->fixes.push_back(pad_to_bounds(loop, Applicability::Unsafe));
    }
  }
}

auto small_max() -> Rule {
  return {DiagnosticCode::T5014, "small-max", RuleKind::Advice, find_small_max};
}

}  // namespace tacet::linter
