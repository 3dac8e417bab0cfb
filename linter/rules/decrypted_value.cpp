#include <fmt/format.h>

#include "compiler/core/diagnostics/code.h"
#include "linter/rules/device.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

using leakage::ChannelKind;

static auto message_of(const Coordinator& subject, const leakage::Channel& channel) -> std::string {
  switch (channel.kind) {
    case ChannelKind::Steered:
      return "device operations depend on a decrypted value";
    case ChannelKind::Clear:
      return fmt::format("decrypted value sent unencrypted as {}", subject.subject_of(channel));
    case ChannelKind::Grid:
      return fmt::format("size of the call to {} depends on a decrypted value",
                         subject.subject_of(channel));
    case ChannelKind::Effect:
    case ChannelKind::Result:
      return {};  // its owner may do with it what they like
  }
  return {};
}

/// Rule: decrypted-value
///
/// What it does: finds what was read of an awaited future of `he`, and then controls communication
/// with a device, or is sent there unencrypted.
/// Why: the coordinator may know it, but the device that computed on it could not; now it learns
/// it.
/// Example: `if (await f).y > 0 { let g = submit e; … }`
/// Use instead: ask in every case, or compute the condition under encryption.
/// Fix safety: there is none: reading made it public, so this may be meant.
static void find_decrypted_value(const Coordinator& subject, CoordinatorFindings& findings) {
  for (const leakage::Channel& channel : subject.channels) {
    const std::string message = message_of(subject, channel);
    if (channel.level == leakage::Level::Decrypted && !message.empty()) {
      findings.add(DiagnosticCode::T5019, channel, message);
    }
  }
}

auto decrypted_value() -> Rule {
  return {DiagnosticCode::T5019, "decrypted-value", RuleKind::Advice, nullptr,
          find_decrypted_value};
}

}  // namespace tacet::linter
