#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: unknown-timing
///
/// What it does: finds a secret that is given to a function whose body is not known: an extern.
/// Why: how long it takes, what it addresses and whether it fails may depend on the secret.
/// Example: `log2(s)` with `extern(mpc) pure log2(i64) -> i64 {}`
/// Use instead: a device function, which is looked into.
/// Fix safety: there is none; only who wrote the extern knows.
static void find_unknown_timing(const Subject& subject, Findings& findings) {
  for_each_reached(subject, [&](kernel::StatementId at, const kernel::Statement& statement) {
    const auto* call = std::get_if<kernel::Call>(&statement.node);
    if (call == nullptr || !call->callee.has_value() ||
        subject.items[call->callee].kind == names::ItemKind::Fn) {
      return;
    }
    for (const kernel::ExprId argument : call->arguments) {
      const std::vector<oblivious::CauseId> causes = subject.secrecy.causes(at, argument);
      if (causes.empty()) {
        continue;
      }
      Diagnostic* finding = findings.add_channel(
          DiagnosticCode::T5011, subject.kernel.exprs[argument].place,
          fmt::format("`{}` receives a secret and may leak it", call->name), causes);
      if (finding != nullptr) {
        add_note(*finding,
                 "no fix: ensure that its timing and memory accesses do not depend on its "
                 "arguments, and confirm it with `// tacet: allow(T5011) reason`");
      }
    }
  });
}

/// In a coordinator function, whose time nobody measures: externs that are not pure, for they may
/// show it to anybody.
static void check_timing(const Coordinator& subject, CoordinatorFindings& findings) {
  for (const leakage::Channel& channel : subject.channels) {
    if (channel.kind != leakage::ChannelKind::Effect) {
      continue;
    }
    Diagnostic* finding = findings.add(
        DiagnosticCode::T5011, channel,
        fmt::format("{} receives a secret and may leak it", subject.subject_of(channel)));
    if (finding != nullptr) {
      add_note(*finding,
               "no fix: declare the extern `pure` if it has no side effects, or confirm that it "
               "keeps secrets with `// tacet: allow(T5011) reason`");
    }
  }
}

auto unknown_timing() -> Rule {
  return {DiagnosticCode::T5011, "unknown-timing", RuleKind::Channel, find_unknown_timing,
          check_timing};
}

}  // namespace tacet::linter
