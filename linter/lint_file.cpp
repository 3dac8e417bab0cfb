#include "linter/lint_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/boundary/call_order.h"
#include "compiler/boundary/summary.h"
#include "compiler/diagnostics/code.h"
#include "compiler/frontend/file_diagnostics.h"
#include "compiler/names/queries.h"
#include "linter/lint_item.h"
#include "linter/rules/rules.h"

namespace tacet::linter {

namespace {

/// Leaks are told whatever anybody wants: the program does not run obliviously with them.
auto is_leak(DiagnosticCode code) -> bool {
  const Rule* rule = find_rule(code);
  return rule == nullptr || rule->kind == RuleKind::Leak;
}

/// The level of the workspace.
auto level_of(DiagnosticCode code, const Settings& settings) -> Level {
  const Rule* rule = find_rule(code);
  if (rule != nullptr && rule->kind == RuleKind::Channel && settings.denies_rewriting) {
    return Level::Deny;
  }
  const auto found = settings.levels.find(code);
  return found == settings.levels.end() ? Level::Warn : found->second;
}

/// The comments of one item, and which of them did something.
class SuppressionsInUse {
 public:
  explicit SuppressionsInUse(const std::vector<Suppression>& all) : all_(all) {
    for (const Suppression& suppression : all) {
      is_used_.emplace_back(suppression.codes.size());
    }
  }

  /// The level of the last one about a finding, or `otherwise`.
  auto level(DiagnosticCode code, uint32_t at, Level otherwise) -> Level {
    Level level = otherwise;
    for (size_t i = 0; i < all_.size(); ++i) {
      for (size_t j = 0; j < all_[i].codes.size(); ++j) {
        if (all_[i].codes[j] == code && all_[i].scope.contains(at)) {
          is_used_[i][j] = true;
          level = all_[i].level;
        }
      }
    }
    return level;
  }

  void report_others(names::Report& report) const {
    for (size_t i = 0; i < all_.size(); ++i) {
      const Suppression& suppression = all_[i];
      if (!suppression.problem.empty()) {
        report.add(DiagnosticCode::T5017, suppression.place, suppression.problem);
        continue;
      }
      std::string unused;
      bool is_all_unused = true;
      for (size_t j = 0; j < suppression.codes.size(); ++j) {
        is_all_unused = is_all_unused && !is_used_[i][j];
        if (!is_used_[i][j]) {
          unused +=
              fmt::format("{}`{}`", unused.empty() ? "" : ", ", code_name(suppression.codes[j]));
        }
      }
      if (unused.empty()) {
        continue;
      }
      names::Draft draft = report.add(DiagnosticCode::T5016, suppression.place,
                                      fmt::format("nothing is found here for {}", unused));
      if (is_all_unused) {
        draft.fix("remove the comment", Applicability::Safe, {{suppression.removed, ""}});
      }
    }
  }

 private:
  const std::vector<Suppression>& all_;
  std::vector<std::vector<bool>> is_used_;
};

}  // namespace

auto lint_file(query::Context& context, FileId file, const Settings& settings, Wanted wanted,
               Fixes fixes) -> std::vector<Diagnostic> {
  std::vector<Diagnostic> all;
  // Callees first, so that no query waits for a long chain of them.
  for (const names::ItemId item : context.get<boundary::CallOrderOfFile>(file)->items) {
    context.get<boundary::SummaryOf>(item);
  }
  for (const names::FileItem& item : context.get<names::ItemsOfFile>(file)->items) {
    if (item.kind != names::ItemKind::Fn) {
      continue;
    }
    const std::shared_ptr<const ItemFindings> found = context.get<FindingsOfItem>(item.id);
    if (found == nullptr) {
      continue;
    }
    SuppressionsInUse suppressions(found->suppressions);
    const auto add = [&](const names::ItemDiagnostic& entry, Severity severity) {
      if (wanted == Wanted::Everything || severity == Severity::Error) {
        all.push_back(check::placed(context, file, item.id, entry));
        all.back().severity = severity;
      }
    };
    std::vector<names::ItemDiagnostic> findings = found->findings;
    if (fixes == Fixes::All) {
      add_fixes(context, item.id, findings);
    }
    for (const names::ItemDiagnostic& entry : findings) {
      const Diagnostic& finding = entry.diagnostic;
      if (is_leak(finding.code)) {
        add(entry, Severity::Error);
        continue;
      }
      const Level level = suppressions.level(finding.code, finding.place.range.begin,
                                             level_of(finding.code, settings));
      if (level != Level::Allow) {
        add(entry, level == Level::Deny ? Severity::Error : finding.severity);
      }
    }
    names::Report report(item.id);
    suppressions.report_others(report);
    for (const names::ItemDiagnostic& entry : report.take()) {
      const Level level = level_of(entry.diagnostic.code, settings);
      if (level != Level::Allow) {
        add(entry, level == Level::Deny ? Severity::Error : entry.diagnostic.severity);
      }
    }
  }
  sort_diagnostics(all);
  return all;
}

}  // namespace tacet::linter
