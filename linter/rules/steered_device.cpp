#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

/// Rule: steered-device
///
/// What it does: finds a branch of a coordinator function on a secret whose branches communicate
/// differently with a device, or alike with different devices.
/// Why: the device sees the communication, and so learns the condition.
/// Example: `if s > 0 { let f = submit e; … }`
/// Use instead: communicate alike on both branches, and choose the values by the secret.
/// Fix safety: there is none: the common communication is for the author to decide.
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
