#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/measure.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: large-max
///
/// What it does: finds a loop whose `max` exceeds the iterations that its bounds allow.
/// Why: the loop is padded to `max` iterations, and the surplus is computed for nothing.
/// Example: `for i in 0..n max 64 { … }` with `n: secret i64 in 0..17`
/// Use instead: `max 16`
/// Fix safety: safe; no value of the bounds needs more iterations.
static void find_large_max(const Subject& subject, Findings& findings) {
  for (const PaddedLoop& loop : padded_loops(subject)) {
    if (loop.iterations.most >= loop.max || loop.iterations.most == 0) {
      continue;
    }
    Diagnostic* finding = findings.add(
        DiagnosticCode::T5015, loop.place,
        fmt::format("the loop is padded to {} iterations, but its bounds need at most {}", loop.max,
                    loop.iterations.most));
    if (finding != nullptr) {
      finding->fixes.push_back(pad_to_bounds(loop, Applicability::Safe));
    }
  }
}

auto large_max() -> Rule {
  return {DiagnosticCode::T5015, "large-max", RuleKind::Advice, find_large_max};
}

}  // namespace tacet::linter
