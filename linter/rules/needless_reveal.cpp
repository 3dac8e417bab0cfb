#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: needless-reveal
///
/// What it does: finds a `reveal` of what is public already.
/// Why: readers look for a secret that is revealed here; there is none.
/// Example: `reveal(n + 1)` for a public `n`
/// Use instead: `n + 1`
/// Fix safety: safe; the value is the same.
static void find_needless_reveal(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId at, const kernel::Statement& statement) {
    const auto* reveal = std::get_if<kernel::Reveal>(&statement.node);
    if (reveal == nullptr || subject.secrecy.is_secret(at, reveal->value)) {
      return;
    }
    Diagnostic* finding = findings.add(DiagnosticCode::T5013, statement.place,
                                       "the revealed value is already public");
    const TextRange value = subject.kernel.exprs[reveal->value].place.range;
    const TextRange all = statement.place.range;
    if (finding != nullptr && all.contains(value) && all != value) {
      finding->fixes.push_back({"remove the `reveal`",
                                Applicability::Safe,
                                {{{all.begin, value.begin}, "("}, {{value.end, all.end}, ")"}}});
    }
  });
}

auto needless_reveal() -> Rule {
  return {DiagnosticCode::T5013, "needless-reveal", RuleKind::Advice, find_needless_reveal};
}

}  // namespace tacet::linter
