#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

using leakage::ChannelKind;

/// Rule: clear-secret
///
/// What it does: finds a secret that `copy public` sends to a device unencrypted, or that
/// determines the size of a call there.
/// Why: the device can read it.
/// Example: `encode e.copy public [x_d <- s];`
/// Use instead: `encode e.copy[x_d <- s];`, which encrypts it.
/// Fix safety: there is none: the function that is called must take a secret then.
static void find_clear_secret(const Coordinator& subject, CoordinatorFindings& findings) {
  for (const leakage::Channel& channel : subject.channels) {
    if (channel.level != leakage::Level::Secret ||
        (channel.kind != ChannelKind::Clear && channel.kind != ChannelKind::Grid)) {
      continue;
    }
    const bool is_grid = channel.kind == ChannelKind::Grid;
    Diagnostic* finding = findings.add(
        DiagnosticCode::T5036, channel,
        is_grid
            ? fmt::format("size of the call to {} depends on a secret", subject.subject_of(channel))
            : fmt::format("secret sent unencrypted as {}", subject.subject_of(channel)));
    if (finding != nullptr) {
      add_note(*finding, is_grid ? "no fix: use a public size"
                                 : "no fix: `copy` without `public` encrypts it, but then the "
                                   "called function must accept a secret");
    }
  }
}

auto clear_secret() -> Rule {
  return {DiagnosticCode::T5036, "clear-secret", RuleKind::Leak, nullptr, find_clear_secret};
}

}  // namespace tacet::linter
