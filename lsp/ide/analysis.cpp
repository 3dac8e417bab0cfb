#include "lsp/ide/analysis.h"

#include <algorithm>
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

auto Analysis::explored_by_importers(FileId file) const
    -> std::vector<std::pair<FileId, std::vector<program::ExploredChoice>>> {
  std::vector<std::pair<FileId, std::vector<program::ExploredChoice>>> found;
  if (settings_->explored.empty()) {
    return found;
  }
  const std::string where = path(file);
  const size_t begin = where.rfind('/') + 1;
  const std::string prefix = where.substr(begin, where.rfind('.') - begin) + ".";
  for (const auto& [folder, explored] : settings_->explored) {
    for (const program::ExploredChoice& choice : explored->choices) {
      const bool is_of_module =
          std::any_of(choice.chosen.calls.begin(), choice.chosen.calls.end(),
                      [&](const std::string& call) { return call.starts_with(prefix); });
      const std::optional<FileId> importer =
          is_of_module ? this->file(folder + "/" + choice.file) : std::nullopt;
      if (importer && *importer != file) {
        found.push_back({*importer, {choice}});
      }
    }
  }
  return found;
}

auto Analysis::parties(FileId file) const -> mpc_views::Parties {
  return lint(file).parties;
}

}  // namespace tacet::ide
