#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/source_set.h"
#include "compiler/core/diagnostics/diagnostic.h"

namespace tacet::cli {

/// Findings of `tacet check` and `tacet lint` that are known already and are not reported again.
/// They are named by their rule, their file and the text of their line, so that edits elsewhere do
/// not bring them back.
struct Baseline {
  /// How many findings have a fingerprint.
  std::map<std::string, size_t> findings{};
};

/// The default file: in the workspace's root, or the current folder.
inline constexpr std::string_view kBaselineName = ".tacet-baseline.json";

/// Reads what `baseline_text` wrote.
auto read_baseline(const std::string& text, const std::string& shown_path) -> Result<Baseline>;

/// `findings` as a baseline; paths are taken from `folder` (absolute) on.
auto baseline_of(const std::vector<Diagnostic>& findings, SourceSet& sources,
                 const std::string& folder) -> Baseline;
/// One line for each fingerprint, sorted.
auto baseline_text(const Baseline& baseline) -> std::string;

/// What one command has found, with what another command wrote: those of `known` whose codes
/// satisfy `is_kept`.
auto with_kept(Baseline found, const Baseline& known,
               const std::function<bool(std::string_view code)>& is_kept) -> Baseline;

/// Removes the findings that `baseline` has, and returns their number. Of several with one
/// fingerprint the first ones are taken.
auto drop_known(std::vector<Diagnostic>& findings, const Baseline& baseline, SourceSet& sources,
                const std::string& folder) -> size_t;

/// What the command line says of a baseline.
struct BaselineUse {
  std::string path;         ///< empty: the default file, if it is there
  bool is_written = false;  ///< with the findings
};

/// Removes known findings; or writes the findings to the baseline, beside known ones whose codes
/// satisfy `is_kept`, and removes all of them. `root` is the workspace's. The remark is for the
/// summary.
auto apply_baseline(const BaselineUse& use, const std::string& root,
                    const std::function<bool(std::string_view code)>& is_kept,
                    std::vector<Diagnostic>& findings, SourceSet& sources) -> Result<std::string>;

}  // namespace tacet::cli
