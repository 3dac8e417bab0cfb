#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: decided-result
///
/// What it does: finds a public result whose value a secret decides.
/// Why: whoever gets the result learns the secret. A secret that is returned itself is T2019; this
/// one is about public values of which a secret says which it is.
/// Example: `if s { return 1; } return 0;` for a result `i64`
/// Use instead: a result `secret i64`, or `reveal(s)` if everybody may know.
/// Fix safety: there is none: whether the result may be known is for the writer to say.
static void find_decided_result(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId at, const kernel::Statement& statement) {
    const auto* result = std::get_if<kernel::Return>(&statement.node);
    if (result == nullptr) {
      return;
    }
    for (size_t i = 0; i < result->values.size() && i < subject.kernel.results.size(); ++i) {
      if (subject.kernel.results[i].visibility == types::Visibility::Secret) {
        continue;
      }
      oblivious::CauseId cause = subject.secrecy.cause(at, result->values[i]);
      if (!cause.has_value()) {
        cause = subject.secrecy.control(at);
      }
      if (!cause.has_value()) {
        continue;
      }
      Diagnostic* finding =
          findings.add(DiagnosticCode::T5009, subject.kernel.exprs[result->values[i]].place,
                       "public result depends on a secret");
      if (finding != nullptr) {
        findings.add_path(*finding, cause);
        add_note(*finding,
                 "no fix: make the result `secret`, or use `reveal(…)` if it may become public");
      }
    }
  });
}

/// In a coordinator function: a secret that is given back as a public result, unless to its owner.
static void check_coordinator(const Coordinator& subject, CoordinatorFindings& findings) {
  for (const leakage::Channel& channel : subject.channels) {
    if (channel.kind != leakage::ChannelKind::Result) {
      continue;
    }
    Diagnostic* finding =
        findings.add(DiagnosticCode::T5009, channel, "public result depends on a secret");
    if (finding != nullptr) {
      add_note(*finding, "no fix: make the result `secret`, or declare its owner with `to`");
    }
  }
}

auto decided_result() -> Rule {
  return {DiagnosticCode::T5009, "decided-result", RuleKind::Leak, find_decided_result,
          check_coordinator};
}

}  // namespace tacet::linter
