#include <fmt/format.h>

#include "compiler/diagnostics/code.h"
#include "linter/rules/measure.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: large-max
///
/// What it does: finds a loop whose `max` is more than the turns that its bounds can ask for.
/// Why: the loop is padded to `max` turns, and those too many are computed for nothing.
/// Example: `for i in 0..n max 64 { … }` with `n: secret i64 in 0..17`
/// Use instead: `max 16`
/// Fix safety: safe; no value of the bounds needs more turns.
static void check(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId, const kernel::Statement& statement) {
    const auto* loop = std::get_if<kernel::For>(&statement.node);
    if (loop == nullptr || !loop->max) {
      return;
    }
    const std::optional<int64_t> max = constant(subject, *loop->max);
    const std::optional<Turns> turns = most_turns(subject, *loop);
    if (!max || !turns || turns->most >= *max || turns->most == 0) {
      return;
    }
    const FileRange place = subject.kernel.exprs[*loop->max].place;
    Diagnostic* finding = findings.add(
        DiagnosticCode::T5015, place,
        fmt::format("the loop is padded to {} turns, and its bounds ask for {} at most", *max,
                    turns->most));
    if (finding != nullptr) {
      finding->fixes.push_back({fmt::format("make it `max {}`", turns->most),
                                Applicability::Safe,
                                {{place.range, fmt::format("{}", turns->most)}}});
    }
  });
}

auto large_max() -> Rule {
  return {DiagnosticCode::T5015, "large-max", RuleKind::Advice, check};
}

}  // namespace tacet::linter
