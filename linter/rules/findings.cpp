#include <fmt/format.h>

#include <algorithm>

#include "compiler/device/oblivious/problems.h"
#include "linter/rules/device.h"

namespace tacet::linter {

auto Findings::add(DiagnosticCode code, FileRange place, std::string message) -> Diagnostic* {
  std::vector<Diagnostic>& found = place.file == own_ ? all_ : inlined_;
  const bool is_known = std::any_of(found.begin(), found.end(), [&](const Diagnostic& other) {
    return other.code == code && other.place == place;
  });
  if (is_known) {
    return nullptr;
  }
  found.push_back(make_diagnostic(code, place, std::move(message)));
  return &found.back();
}

/// Selections are what a protocol between parties does all the time; under encryption each costs
/// depth, and a comparison may not be possible at all.
static auto severity_on(names::Device device, Severity severity) -> Severity {
  return device == names::Device::Mpc && severity == Severity::Warning ? Severity::Information
                                                                       : severity;
}

auto Findings::add_channel(DiagnosticCode code, FileRange place, std::string message,
                           const std::vector<oblivious::CauseId>& causes) -> Diagnostic* {
  Diagnostic* finding = add(code, place, std::move(message));
  if (finding != nullptr) {
    finding->severity = severity_on(subject_.kernel.device, finding->severity);
    add_path(*finding, causes);
  }
  return finding;
}

auto Findings::add_hidden_fault(DiagnosticCode code, FileRange place, std::string message,
                                const std::vector<oblivious::CauseId>& causes) -> Diagnostic* {
  Diagnostic* finding = add(code, place, std::move(message));
  if (finding != nullptr) {
    add_path(*finding, causes);
  }
  return finding;
}

auto node_at(const Subject& subject, FileRange place, std::initializer_list<syntax::NodeKind> kinds)
    -> syntax::Node {
  if (place.file != subject.own) {
    return {};
  }
  for (const syntax::Node node : syntax::path_to(subject.tree.root(), place.range.begin)) {
    const bool is_wanted = std::find(kinds.begin(), kinds.end(), node.kind()) != kinds.end();
    if (is_wanted && node.range() == place.range) {
      return node;
    }
  }
  return {};
}

void add_note(Diagnostic& finding, std::string_view text) {
  finding.notes.emplace_back(text);
}

void Findings::add_path(Diagnostic& finding, const std::vector<oblivious::CauseId>& causes) const {
  oblivious::add_path(finding, subject_.kernel, subject_.secrecy, causes);
}

auto Coordinator::subject_of(const leakage::Channel& channel) const -> std::string {
  return channel.subject.has_value() ? fmt::format("`{}`", interner.text(channel.subject)) : "";
}

/// Items are in the place of files.
static auto place_of(const leakage::Step& step) -> FileRange {
  return {FileId{step.item.index}, step.place};
}

auto CoordinatorFindings::add(DiagnosticCode code, const leakage::Channel& channel,
                              std::string message) -> Diagnostic* {
  const auto last = std::find_if(channel.path.rbegin(), channel.path.rend(),
                                 [&](const leakage::Step& step) { return step.item == own_; });
  if (last == channel.path.rend()) {
    return nullptr;
  }
  const FileRange place = place_of(*last);
  const bool is_known = std::any_of(all_.begin(), all_.end(), [&](const Diagnostic& other) {
    return other.code == code && other.place == place;
  });
  if (is_known) {
    return nullptr;
  }
  Diagnostic finding = make_diagnostic(code, place, std::move(message));
  for (const leakage::Step& step : channel.path) {
    if (&step != &*last) {
      finding.labels.push_back({place_of(step), step.text});
    }
  }
  all_.push_back(std::move(finding));
  return &all_.back();
}

}  // namespace tacet::linter
