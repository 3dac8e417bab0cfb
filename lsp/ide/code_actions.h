#pragma once

#include <vector>

#include "base/executor.h"
#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/spec/program/frontend.h"
#include "linter/settings.h"
#include "lsp/ide/analysis.h"

namespace tacet::ide {

/// What is wrong with a file and what its rules find, by offsets in it, in order.
struct Mendable {
  /// With fixes where they touch the requested range; elsewhere those that are cheap to find.
  std::vector<Diagnostic> diagnostics;
  bool has_safe_fix = false;  ///< of any of them; not found out for `FixAll::LeftOut`
};

/// Looks for the fixes of what is found at `range`; with `FixAll::WithEdits` for those of all of
/// the file.
auto find_fixes(const program::FrontendSnapshot& snapshot, FileId file,
                const linter::Settings& settings, TextRange range, FixAll fix_all) -> Mendable;

/// Feature: Code actions
///
/// The fixes of the diagnostics at `range`, and one action that applies every safe fix of
/// the file. A fix that is safe is the preferred one.
auto code_actions(const Mendable& found, TextRange range, FixAll fix_all) -> std::vector<Action>;

/// What is wrong with a file and what its rules find, as its workspace wants it, found on as many
/// cores as `executor` has.
auto file_diagnostics(const Analysis& analysis, FileId file, Executor& executor)
    -> std::vector<Diagnostic>;
auto file_diagnostics(const Analysis& analysis, FileId file) -> std::vector<Diagnostic>;

/// The actions at `range`: fixes of its diagnostics, and refactorings. `fix_all` says what is
/// wanted of the action that fixes the whole file.
auto actions_at(const Analysis& analysis, FileId file, TextRange range, FixAll fix_all)
    -> std::vector<Action>;

}  // namespace tacet::ide
