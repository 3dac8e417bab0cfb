#include "cli/checker.h"

#include <filesystem>

#include "cli/import_files.h"
#include "cli/workspace.h"
#include "compiler/check/frontend.h"

namespace tacet::cli {

static auto frontend_until(Until until) -> check::Until {
  switch (until) {
    case Until::Syntax:
      return check::Until::Syntax;
    case Until::Names:
      return check::Until::Names;
    case Until::Types:
    case Until::Conformance:
      return check::Until::Types;
  }
  return check::Until::Types;
}

/// The source folders of the workspace around a file. What is wrong with its `tacet.toml` was
/// said when the workspace was looked for.
static auto source_folders_around(const std::string& path) -> std::vector<std::string> {
  std::vector<std::string> warnings;
  Result<std::optional<Workspace>> workspace =
      find_workspace(std::filesystem::path(path).parent_path().generic_string(), warnings);
  if (!workspace || !workspace->has_value()) {
    return {};
  }
  return (**workspace).source_folders();
}

auto check_files(std::vector<LoadedFile> files, Until until, Executor& executor, SourceSet& sources)
    -> std::vector<Diagnostic> {
  check::Frontend frontend;
  std::vector<std::string> folders;
  std::vector<std::pair<std::string, std::string>> texts;
  std::vector<std::string> shown;
  if (!files.empty()) {
    folders = source_folders_around(files.front().absolute);
  }
  for (LoadedFile& file : files) {
    texts.emplace_back(std::move(file.absolute), std::move(file.text));
    shown.push_back(std::move(file.shown));
  }
  frontend.set_source_folders(folders);
  std::vector<FileId> ids = frontend.set_files(std::move(texts));
  for (size_t i = 0; i < ids.size(); ++i) {
    sources.add(ids[i], shown[i], frontend.text(ids[i]));
  }
  if (until != Until::Syntax) {
    // Parsed beforehand on all cores; looking for imports needs the trees.
    static_cast<void>(frontend.check(ids, executor, check::Until::Syntax));
    import_files(frontend, ids, folders, sources);
  }
  std::vector<Diagnostic> all;
  for (std::vector<Diagnostic>& found : frontend.check(ids, executor, frontend_until(until))) {
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace tacet::cli
