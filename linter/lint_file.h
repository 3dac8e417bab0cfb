#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/executor.h"
#include "linter/find_in_file.h"

namespace tacet::linter {

/// Whether fixes are wanted that have to be looked for.
enum class Fixes : bool { AsFound, All };

/// How files are linted.
struct LintOptions {
  Settings settings{};
  /// With `Everything` also the comments that change nothing.
  Wanted wanted = Wanted::Everything;
  Fixes fixes = Fixes::AsFound;
  /// Which findings are wanted, by their codes; without it, all.
  std::function<bool(DiagnosticCode)> selects{};
};

/// What rules find in a file, at the levels of `options` and of comments, by offsets in the file,
/// in no order. Errors of the program itself are reported at any level.
auto lint_file(query::Context& context, FileId file, const LintOptions& options = {})
    -> std::vector<Diagnostic>;

/// The same of many files, those with many items piece by piece, so that one large file keeps as
/// many cores busy as many small ones. `result[i]` is that of `files[i]`. An executor should begin
/// pieces about in their order: callees come first, and what begins without them goes as deep as
/// calls do.
auto lint_files(const query::Snapshot& snapshot, std::span<const FileId> files,
                const LintOptions& options, Executor& executor)
    -> std::vector<std::vector<Diagnostic>>;

}  // namespace tacet::linter
