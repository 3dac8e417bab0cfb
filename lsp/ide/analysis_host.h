#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "compiler/spec/program/frontend.h"
#include "engine/cggi_model/bootstrap_times.h"
#include "engine/he_model/operation_times.h"
#include "linter/settings.h"
#include "lsp/ide/analysis.h"
#include "lsp/ide/plan_store.h"

namespace tacet::ide {

/// A file's text changed: it is new, edited or removed (no text).
struct FileChange {
  std::string path;
  std::shared_ptr<const std::string> text;
  /// Somebody has it open in an editor, so it will change often.
  bool is_open = false;
};

/// What is remembered of one kind of question, and how often it was answered.
struct QueryCount {
  std::string name;
  uint64_t n_keys = 0;
  uint64_t n_executed = 0;
  uint64_t n_unchanged = 0;  ///< of those, with the answer that was known
};

/// Owns the files and all that is known of them.
class AnalysisHost {
 public:
  /// Costs of encryption are estimated by `times`, those of what is computed bit by bit by
  /// `bootstraps`, if they are measured.
  explicit AnalysisHost(he::OperationTimes times = he::default_operation_times(),
                        std::optional<cggi::BootstrapTimes> bootstraps = std::nullopt);

  /// Makes a new revision. Analyses of the one before are cancelled. One thread.
  void apply(std::span<const FileChange> changes);

  /// Where imported modules are looked for, after the folder of the importing file. A new
  /// revision, too.
  void set_source_folders(std::vector<std::string> folders);

  /// The linter's settings for a workspace, the files below the folder `root`. An empty `root` is
  /// for files that are in no workspace.
  void set_lint(std::string root, linter::Settings settings);

  /// Whether completions offer names of modules that are not imported: not while `index_names` is
  /// at work, so that nobody waits for it.
  void set_offers_imports(bool offers);

  /// What was explored in a folder.
  void set_explored(std::string folder, project::ExploreFile file);

  /// Who does what takes long: analyses call it, on any thread. Without, nobody does it.
  void set_background(std::function<void(BackgroundTask)> submit);

  /// The present revision, for a request that `token` cancels.
  auto analysis(CancellationToken token) -> std::unique_ptr<Analysis>;

  /// Of all kinds of questions, by name.
  auto query_counts() -> std::vector<QueryCount>;

 private:
  program::Frontend frontend_;
  std::shared_ptr<const WorkspaceSettings> settings_ = std::make_shared<const WorkspaceSettings>();
  PlanStore plans_;
};

}  // namespace tacet::ide
