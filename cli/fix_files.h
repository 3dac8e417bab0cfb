#pragma once

#include <memory>
#include <vector>

#include "cli/lint_session.h"
#include "cli/surroundings.h"
#include "linter/apply_fixes.h"

namespace tacet::cli {

/// The findings with the texts that they are about.
struct Linted {
  std::vector<Diagnostic> findings;
  SourceSet sources;
};

/// Applies fixes round by round until none is left. A file whose fixes would leave it with an error
/// that it did not have keeps its text. Returns how many were applied.
auto fix_all(std::vector<LoadedFile>& files, const LintSelection& selection, Applicability most,
             const Surroundings& around, LintSession& session, Executor& executor,
             std::unique_ptr<Linted>& linted, Invocation& invocation) -> size_t;

}  // namespace tacet::cli
