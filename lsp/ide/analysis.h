#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/core/syntax/file_syntax.h"
#include "compiler/spec/program/frontend.h"
#include "compiler/views/mpc/item_costs.h"
#include "linter/settings.h"
#include "lsp/ide/plan_store.h"
#include "lsp/ide/results.h"
#include "project/explore_file.h"

namespace tacet::ide {

/// A setting of workspaces, by their roots. The empty root is that of files in no workspace.
template <class Setting>
struct ByWorkspace {
  std::map<std::string, Setting> by_root{};

  /// That of the innermost workspace around `path`.
  auto of(std::string_view path) const -> Setting {
    Setting setting{};
    for (const auto& [root, found] : by_root) {  // an inner root comes behind those around it
      if (root.empty() || path.starts_with(root + "/")) {
        setting = found;
      }
    }
    return setting;
  }
};

/// What workspaces and the client want.
struct WorkspaceSettings {
  ByWorkspace<linter::Settings> lint{};
  std::map<std::string, std::shared_ptr<const project::ExploreFile>> explored{};  ///< by folder
  Imports imports = Imports::Offered;
};

/// One revision of all files, and what is wanted of them: what the features of this folder, which
/// are free functions, look at.
///
/// One object serves one request on one thread. Every feature may throw `query::Cancelled`: a newer
/// revision exists, or the request's token was raised.
class Analysis {
 public:
  Analysis(const program::Frontend& frontend, program::FrontendSnapshot snapshot,
           std::shared_ptr<const WorkspaceSettings> settings, PlanStore& plans);

  /// The file of that path, if the analysis knows one.
  [[nodiscard]] auto file(std::string_view path) const -> std::optional<FileId>;
  /// All files there are, in the order in which they became known.
  [[nodiscard]] auto files() const -> std::vector<FileId>;
  [[nodiscard]] auto path(FileId file) const -> std::string;
  [[nodiscard]] auto text(FileId file) const -> std::shared_ptr<const std::string>;
  [[nodiscard]] auto syntax(FileId file) const -> std::shared_ptr<const syntax::FileSyntax>;

  [[nodiscard]] auto snapshot() const -> const program::FrontendSnapshot& { return snapshot_; }
  [[nodiscard]] auto plans() const -> PlanStore& { return *plans_; }
  /// Which findings the workspace of a file wants.
  [[nodiscard]] auto lint(FileId file) const -> linter::Settings;
  /// How functions on secret shares of a file are computed.
  [[nodiscard]] auto parties(FileId file) const -> mpc_views::Parties;
  /// What was explored for a file.
  [[nodiscard]] auto explored(FileId file) const -> std::vector<program::ExploredChoice>;
  /// The same for other files, whose choices have calls in `file`, which they import.
  [[nodiscard]] auto explored_by_importers(FileId file) const
      -> std::vector<std::pair<FileId, std::vector<program::ExploredChoice>>>;
  [[nodiscard]] auto imports() const -> Imports { return settings_->imports; }

 private:
  const program::Frontend* frontend_;
  program::FrontendSnapshot snapshot_;
  std::shared_ptr<const WorkspaceSettings> settings_;
  PlanStore* plans_;
};

}  // namespace tacet::ide
