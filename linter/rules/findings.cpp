#include <algorithm>

#include "compiler/oblivious/problems.h"
#include "linter/rules/rule.h"

namespace tacet::linter {

auto Findings::add(DiagnosticCode code, FileRange place, std::string message) -> Diagnostic* {
  const bool is_known = std::any_of(all_.begin(), all_.end(), [&](const Diagnostic& other) {
    return other.code == code && other.place == place;
  });
  if (is_known || place.file != own_) {
    return nullptr;
  }
  all_.push_back(make_diagnostic(code, place, std::move(message)));
  return &all_.back();
}

/// Selections are what a protocol between parties does all the time; under encryption each costs
/// depth, and a comparison may not be possible at all.
static auto severity_on(names::Device device, Severity severity) -> Severity {
  return device == names::Device::Mpc && severity == Severity::Warning ? Severity::Information
                                                                       : severity;
}

auto Findings::add_channel(DiagnosticCode code, FileRange place, std::string message,
                           oblivious::CauseId cause) -> Diagnostic* {
  Diagnostic* finding = add(code, place, std::move(message));
  if (finding != nullptr) {
    finding->severity = severity_on(subject_.kernel.device, finding->severity);
    add_path(*finding, cause);
  }
  return finding;
}

void add_note(Diagnostic& finding, std::string_view text) {
  finding.notes.emplace_back(text);
}

void Findings::add_path(Diagnostic& finding, oblivious::CauseId cause) const {
  oblivious::add_path(finding, subject_.kernel, subject_.secrecy, cause);
}

}  // namespace tacet::linter
