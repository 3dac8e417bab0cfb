#include "cli/surroundings.h"

#include <fmt/format.h>

#include "project/manifest.h"
#include "project/today.h"

namespace tacet::cli {

auto find_surroundings(const std::vector<LoadedFile>& files, Invocation& invocation)
    -> Surroundings {
  Surroundings found{absolute_path(".")};
  found.lint.today = project::today();
  if (files.empty()) {
    return found;
  }
  const std::string& path = files.front().absolute;
  std::vector<std::string> ignored;  // reported already, or irrelevant for one file
  auto workspace = project::find_workspace(path.substr(0, path.rfind('/')), ignored);
  if (!workspace) {
    invocation.warning(workspace.error().message);
  } else if (workspace->has_value()) {
    found.root = (**workspace).root;
    found.source_folders = (**workspace).source_folders();
    std::vector<std::string> warnings;
    const project::Manifest& manifest = (**workspace).manifest;
    found.lint = linter::read_settings(manifest.lint, manifest.obliviousness, warnings);
    found.lint.today = project::today();
    found.lint.parties =
        mpc_views::parties_of(manifest.mpc.protocol, manifest.mpc.latency, manifest.mpc.bandwidth);
    for (const std::string& warning : warnings) {
      invocation.warning(
          fmt::format("{}: {}", path_from_here(found.root + "/tacet.toml"), warning));
    }
  }
  return found;
}

}  // namespace tacet::cli
