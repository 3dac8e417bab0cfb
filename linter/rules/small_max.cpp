#include <fmt/format.h>

#include "compiler/diagnostics/code.h"
#include "linter/rules/measure.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: small-max
///
/// What it does: finds a loop whose `max` is less than the turns that its bounds may ask for.
/// Why: it stops too early for some values, and nothing says so when it runs on secrets.
/// Example: `for i in 0..n max 8 { … }` with `n: secret i64 in 0..17`
/// Use instead: `max 16`
/// Fix safety: unsafe; the loop makes more turns then, so results change.
static void check(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId, const kernel::Statement& statement) {
    const auto* loop = std::get_if<kernel::For>(&statement.node);
    if (loop == nullptr || !loop->max) {
      return;
    }
    const std::optional<int64_t> max = constant(subject, *loop->max);
    const std::optional<Turns> turns = most_turns(subject, *loop);
    if (!max || !turns || !turns->is_exact || turns->most <= *max) {
      return;
    }
    const FileRange place = subject.kernel.exprs[*loop->max].place;
    Diagnostic* finding =
        findings.add(DiagnosticCode::T5014, place,
                     fmt::format("the loop stops at {}, and its bounds may ask for {} turns", *max,
                                 turns->most));
    if (finding != nullptr) {
      finding->fixes.push_back({fmt::format("make it `max {}`", turns->most),
                                Applicability::Unsafe,
                                {{place.range, fmt::format("{}", turns->most)}}});
    }
  });
}

auto small_max() -> Rule {
  return {DiagnosticCode::T5014, "small-max", RuleKind::Advice, check};
}

}  // namespace tacet::linter
