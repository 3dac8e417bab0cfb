#pragma once

#include <vector>

#include "cli/checker.h"

namespace tacet::cli {

/// What is wanted of the findings, besides their levels.
struct LintSelection {
  /// Codes, beginnings of codes, names of rules or of groups; empty: all.
  std::vector<std::string> selected{};
  std::vector<std::string> ignored{};

  [[nodiscard]] auto wants(DiagnosticCode code) const -> bool;
};

/// Whether a code, such as `T5001`, is one of the linter's.
auto is_lint_code(std::string_view code) -> bool;

/// The words among `LintSelection` that no rule answers to.
auto unknown_rules(const LintSelection& selection) -> std::vector<std::string>;

/// Lints files as `CheckSession` checks them.
class LintSession {
 public:
  LintSession(program::Frontend& frontend, linter::Settings settings)
      : frontend_(&frontend), checks_(frontend), settings_(std::move(settings)) {}

  /// The errors that keep a program from being linted, then the findings, both by file in the order
  /// given and by place. `fixes` says whether those that have to be looked for are wanted.
  auto lint(std::vector<LoadedFile> files, const std::vector<std::string>& source_folders,
            const LintSelection& selection, linter::Fixes fixes, Executor& executor,
            SourceSet& sources) -> std::vector<Diagnostic>;

 private:
  program::Frontend* frontend_;
  CheckSession checks_;
  linter::Settings settings_;
};

}  // namespace tacet::cli
