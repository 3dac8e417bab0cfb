#include "lsp/ide/analysis.h"

#include <utility>

#include "problems/explored.h"

namespace tacet::ide {

Analysis::Analysis(const program::Frontend& frontend, program::FrontendSnapshot snapshot,
                   std::shared_ptr<const WorkspaceSettings> settings, PlanStore& plans)
    : frontend_(&frontend),
      snapshot_(std::move(snapshot)),
      settings_(std::move(settings)),
      plans_(&plans) {}

auto Analysis::file(std::string_view path) const -> std::optional<FileId> {
  return frontend_->find_file(path);
}

auto Analysis::files() const -> std::vector<FileId> {
  return frontend_->files();
}

auto Analysis::path(FileId file) const -> std::string {
  return frontend_->path(file);
}

auto Analysis::text(FileId file) const -> std::shared_ptr<const std::string> {
  return snapshot_.query().get<syntax::SourceText>(file).text;
}

auto Analysis::syntax(FileId file) const -> std::shared_ptr<const syntax::FileSyntax> {
  return snapshot_.query().get<syntax::ParseFile>(file);
}

auto Analysis::lint(FileId file) const -> linter::Settings {
  return settings_->lint.of(path(file));
}

auto Analysis::explored(FileId file) const -> std::vector<program::ExploredChoice> {
  if (settings_->explored.empty()) {
    return {};
  }
  const std::string where = path(file);
  const size_t slash = where.rfind('/');
  const auto found = settings_->explored.find(where.substr(0, slash));
  return found == settings_->explored.end() ? std::vector<program::ExploredChoice>()
                                            : found->second->of_file(where.substr(slash + 1));
}

auto Analysis::protocol(FileId file) const -> mpc_views::Protocol {
  return mpc_views::find_protocol(settings_->protocols.of(path(file)))
      .value_or(mpc_views::Protocol::Aby3);
}

}  // namespace tacet::ide
