#include "linter/find_in_file.h"

#include <algorithm>

#include "compiler/core/diagnostics/code.h"
#include "compiler/front/leakage/summary.h"
#include "compiler/front/names/queries.h"
#include "compiler/spec/program/device_callees.h"
#include "compiler/spec/program/file_diagnostics.h"
#include "linter/fixes_of_item.h"
#include "linter/item_diagnostic.h"
#include "linter/lint_chunk.h"
#include "linter/lint_module.h"
#include "linter/rules/rules.h"
#include "linter/rules/sequential_loop.h"
#include "linter/suppressions_in_use.h"

namespace tacet::linter {

namespace {

/// Leaks are reported at any setting: the program does not run obliviously with them.
auto is_leak(DiagnosticCode code) -> bool {
  const Rule* rule = find_rule(code);
  return rule == nullptr || rule->kind == RuleKind::Leak;
}

auto is_checked(DiagnosticCode code) -> bool {
  const Rule* rule = find_rule(code);
  return rule != nullptr && rule->is_checked;
}

/// Could a finding of a rule about texts be an error?
auto denies_advice(const Settings& settings, const SuppressionsInUse& suppressions) -> bool {
  const std::span<const Rule> all = rules();
  return suppressions.may_deny() || std::any_of(all.begin(), all.end(), [&](const Rule& rule) {
           return rule.check == nullptr && rule.check_coordinator == nullptr && !rule.is_checked &&
                  level_of(rule.code, settings) == Level::Deny;
         });
}

/// One file, and what is found in it.
class FileLinter {
 public:
  FileLinter(query::Context& context, FileId file, const Settings& settings, Wanted wanted)
      : context_(context), file_(file), settings_(settings), wanted_(wanted) {}

  auto run() -> std::vector<FoundInFile> {
    const auto items = context_.get<names::ItemsOfFile>(file_);
    suppressions_.read(context_, file_);
    leakage::ask_summaries(context_, file_);
    const bool wants_advice =
        wanted_ == Wanted::Everything || denies_advice(settings_, suppressions_);
    for (const names::ItemId first : *context_.get<names::ChunksOfFile>(file_)) {
      const LintedChunk chunk{{file_, first}, wants_advice, settings_.parties.protocol};
      for (const FoundInItem& found : *context_.get<FindingsOfChunk>(chunk)) {
        add_all(found);
      }
    }
    if (wants_advice && is_right_ && has_module_rules(*items)) {
      for (ModuleFindings::Entry& entry : lint_module(context_, file_, *items)) {
        add(entry.item, in_item(std::move(entry.diagnostic)), FoundInFile::kNoNumber);
      }
    }
    if (wanted_ == Wanted::Everything) {
      add_suppressions();
    }
    return std::move(all_);
  }

 private:
  /// Is there anything that rules about modules look at? What is off by default may be wanted by a
  /// comment.
  [[nodiscard]] auto has_module_rules(const names::FileItems& items) const -> bool {
    return !suppressions_.is_empty() ||
           level_of(DiagnosticCode::T9303, settings_) != Level::Allow ||
           std::any_of(items.items.begin(), items.items.end(), [](const names::FileItem& item) {
             return item.kind == names::ItemKind::Import || item.kind == names::ItemKind::Pipeline;
           });
  }

  void add_all(const FoundInItem& found) {
    if (found.findings != nullptr) {
      add_findings(found.item, *found.findings);
    }
    if (found.program != nullptr) {
      add_shared_program(found.item, *found.program);
    }
    if (found.is_wrong) {
      is_right_ = false;
      suppressions_.excuse(context_, found.item);
    }
    if (found.advice != nullptr) {
      for (const names::ItemDiagnostic& entry : found.advice->findings) {
        add(found.item, entry, FoundInFile::kNoNumber);
      }
    }
    if (found.loops != nullptr) {
      for (const mpc_views::SequentialLoop& loop : *found.loops) {
        add(found.item, sequential_loop_finding(loop, found.item, settings_.parties.link),
            FoundInFile::kNoNumber);
      }
    }
    if (found.circuit_advice != nullptr) {
      for (const Diagnostic& finding : *found.circuit_advice) {
        add(found.item, in_item(finding), FoundInFile::kNoNumber);
      }
    }
  }

  void add_findings(names::ItemId item, const ItemFindings& found) {
    for (uint32_t i = 0; i < found.findings.size(); ++i) {
      const Diagnostic& finding = found.findings[i].diagnostic;
      const bool has_fix = finding.fixes.empty() && has_fix_to_find(finding.code);
      add(item, found.findings[i], has_fix ? i : FoundInFile::kNoNumber);
    }
  }

  /// The diagnostics of the program on secret shares. Those of a function that others call are
  /// reported at the calls, with the ranges of the arguments there.
  void add_shared_program(names::ItemId item, const mpc_views::ItemProgram& program) {
    if (context_.get<program::DeviceCalleesOfFile>(file_)->contains(item)) {
      return;
    }
    for (const Diagnostic& finding : program.diagnostics) {
      if (is_checked(finding.code)) {
        add(item, in_item(finding), FoundInFile::kNoNumber);
      }
    }
  }

  void add(names::ItemId item, const names::ItemDiagnostic& entry, uint32_t number) {
    const DiagnosticCode code = entry.diagnostic.code;
    const bool leaks = is_leak(code);
    const Level level = leaks ? Level::Deny : level_of(code, settings_);
    if (level == Level::Allow && suppressions_.is_empty()) {
      return;
    }
    Diagnostic finding = program::placed(context_, file_, item, entry);
    const Level wanted =
        leaks ? Level::Deny
              : suppressions_.level(code, finding.place.range.begin, level, settings_.today);
    finding.severity = wanted == Level::Deny ? Severity::Error : finding.severity;
    if (wanted != Level::Allow && (wanted_ == Wanted::Everything ||
                                   finding.severity == Severity::Error || is_checked(code))) {
      all_.push_back({std::move(finding), item, number});
    }
  }

  /// What is to be said of the comments themselves.
  void add_suppressions() {
    for (Diagnostic& finding : suppressions_.report(file_, settings_.today, is_right_)) {
      const Level level = level_of(finding.code, settings_);
      if (level != Level::Allow) {
        finding.severity = level == Level::Deny ? Severity::Error : finding.severity;
        all_.push_back({std::move(finding)});
      }
    }
  }

  query::Context& context_;
  FileId file_;
  const Settings& settings_;
  Wanted wanted_;
  SuppressionsInUse suppressions_;
  bool is_right_ = true;
  std::vector<FoundInFile> all_;
};

}  // namespace

auto find_in_file(query::Context& context, FileId file, const Settings& settings, Wanted wanted)
    -> std::vector<FoundInFile> {
  return FileLinter(context, file, settings, wanted).run();
}

auto wants_advice(query::Context& context, FileId file, const Settings& settings, Wanted wanted)
    -> bool {
  if (wanted == Wanted::Everything) {
    return true;
  }
  SuppressionsInUse suppressions;
  suppressions.read(context, file);
  return denies_advice(settings, suppressions);
}

void add_fix(query::Context& context, FoundInFile& finding) {
  if (finding.number == FoundInFile::kNoNumber) {
    return;
  }
  const FixOfFinding fix = (*context.get<FixesOfItem>(finding.item))[finding.number];
  if (const auto* reason = std::get_if<std::string>(&fix)) {
    finding.diagnostic.notes.push_back(*reason);
    return;
  }
  Fix in_file = std::get<Fix>(fix);
  const uint32_t begin = context.get<names::BeginOfItem>(finding.item);
  for (TextEdit& edit : in_file.edits) {
    edit.range = edit.range.shifted(begin);
  }
  finding.diagnostic.fixes.push_back(std::move(in_file));
}

}  // namespace tacet::linter
