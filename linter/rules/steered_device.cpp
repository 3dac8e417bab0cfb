#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: steered-device
///
/// What it does: finds a branch of a coordinator function on a secret whose ways say different
/// things to a device, or the same to different devices.
/// Why: whoever computes there sees that it is spoken to, and so learns the condition.
/// Example: `if s > 0 { let f = submit e; … }`
/// Use instead: say the same on both ways, and choose the values by the secret.
/// Fix safety: there is none: what both ways are to say is for the writer to decide.
static void find_steered_device(const Coordinator& subject, CoordinatorFindings& findings) {
  for (const leakage::Channel& channel : subject.channels) {
    if (channel.kind != leakage::ChannelKind::Steered || channel.level != leakage::Level::Secret) {
      continue;
    }
    Diagnostic* finding =
        findings.add(DiagnosticCode::T5035, channel, "device operations depend on a secret");
    if (finding != nullptr) {
      add_note(
          *finding,
          "no fix: the device sees which operations are encoded, submitted and awaited, and in "
          "which order; use the same operations on both paths and select the values instead");
    }
  }
}

auto steered_device() -> Rule {
  return {DiagnosticCode::T5035, "steered-device", RuleKind::Leak, nullptr, find_steered_device};
}

}  // namespace tacet::linter
