#include "cli/input_paths.h"

#include <algorithm>

#include "cli/find_files.h"
#include "project/manifest.h"
#include "project/read_source.h"

namespace tacet::cli {

auto input_paths(const std::vector<std::string>& named, Invocation& invocation)
    -> Result<std::vector<std::string>> {
  if (!named.empty()) {
    return named;
  }
  std::vector<std::string> warnings;
  Result<std::optional<project::Workspace>> workspace =
      project::find_workspace(absolute_path("."), warnings);
  for (const std::string& warning : warnings) {
    invocation.warning(warning);
  }
  if (!workspace) {
    return workspace.error();
  }
  if (!workspace->has_value()) {
    return std::vector<std::string>{"."};
  }
  std::vector<std::string> folders;
  for (const std::string& folder : (**workspace).source_folders()) {
    folders.push_back(path_from_here(folder));
  }
  if (folders.empty()) {
    folders.push_back(path_from_here((**workspace).root));
  }
  return folders;
}

auto reads_stdin(const std::vector<std::string>& paths) -> bool {
  return std::find(paths.begin(), paths.end(), project::kStdinPath) != paths.end();
}

}  // namespace tacet::cli
