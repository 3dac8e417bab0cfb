#include "lsp/server/source_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "project/manifest.h"
#include "project/read_source.h"
#include "project/today.h"

namespace tacet::lsp {

namespace fs = std::filesystem;

auto is_below(std::string_view path, std::string_view folder) -> bool {
  return path.starts_with(folder) &&
         (folder.ends_with('/') || path.size() == folder.size() || path[folder.size()] == '/');
}

auto is_source_path(const std::string& path) -> bool {
  return path.ends_with(".tacet") || path.ends_with(".cm") || path.ends_with(".tlhe");
}

auto read_source_file(const std::string& path) -> SourceFileText {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return {path, nullptr};
  }
  // A pipe would keep a worker until somebody writes to it.
  if (!fs::is_regular_file(status)) {
    return {path, nullptr, path + ": not a regular file"};
  }
  auto text = project::read_source(path);
  if (!text) {
    return {path, nullptr, text.error().message};
  }
  return {path, std::make_shared<const std::string>(std::move(text).value())};
}

static auto is_name_left_out(const std::string& name) -> bool {
  return name.starts_with('.') || name == "build" || name == "node_modules";
}

auto is_left_out(const std::string& path, const std::string& folder) -> bool {
  const fs::path relative = fs::path(path).parent_path().lexically_relative(folder);
  return std::any_of(relative.begin(), relative.end(), [](const fs::path& part) {
    return part != "." && is_name_left_out(part.string());
  });
}

auto find_source_files(const std::string& folder, Depth depth, const CancellationToken& token)
    -> std::vector<std::string> {
  std::vector<std::string> found;
  std::vector<fs::path> folders = {folder};
  while (!folders.empty() && !token.is_cancelled()) {
    std::error_code error;
    fs::directory_iterator entries(folders.back(), error);
    folders.pop_back();
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      std::error_code ignored;
      const fs::directory_entry& entry = *entries;
      bool is_folder = entry.is_directory(ignored) && !entry.is_symlink(ignored);
      if (is_folder && depth == Depth::AllBelow &&
          !is_name_left_out(entry.path().filename().string())) {
        folders.push_back(entry.path());
      } else if (!is_folder && is_source_path(entry.path().string())) {
        found.push_back(entry.path().string());
      }
    }
  }
  return found;
}

/// What the workspace around `folder` says, and its sources outside of what `paths` has already.
static void add_workspace(const std::string& folder, const CancellationToken& token,
                          std::vector<std::string>& paths, LoadedFolder& loaded) {
  auto workspace = project::find_workspace(folder, loaded.problems);
  if (!workspace) {
    loaded.problems.push_back(workspace.error().message);
    return;
  }
  if (!*workspace) {
    return;
  }
  loaded.workspace = (*workspace)->root;
  loaded.source_folders = (*workspace)->source_folders();
  const project::Manifest& manifest = (*workspace)->manifest;
  loaded.lint = linter::read_settings(manifest.lint, manifest.obliviousness, loaded.problems);
  loaded.lint.today = project::today();
  loaded.lint.parties =
      mpc_views::parties_of(manifest.mpc.protocol, manifest.mpc.latency, manifest.mpc.bandwidth);
  for (const std::string& sources : loaded.source_folders) {
    std::vector<std::string> more = find_source_files(sources, Depth::ThisFolder, token);
    paths.insert(paths.end(), more.begin(), more.end());
  }
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
}

/// The explored choices of `folder` and of all folders of `paths`.
static void add_explored(const std::string& folder, const std::vector<std::string>& paths,
                         LoadedFolder& loaded) {
  std::set<std::string> folders = {folder};
  for (const std::string& path : paths) {
    folders.insert(path.substr(0, path.rfind('/')));
  }
  for (const std::string& of : folders) {
    Result<project::ExploreFile> file = project::read_explore_file(of);
    if (!file) {
      loaded.problems.push_back(file.error().message);
    }
    loaded.explored.push_back({of, file ? std::move(*file) : project::ExploreFile()});
  }
}

auto load_source_folder(const std::string& folder, Depth depth, const CancellationToken& token,
                        const std::function<void(size_t n_read, size_t n_all)>& read_so_far)
    -> LoadedFolder {
  LoadedFolder loaded;
  std::vector<std::string> paths = find_source_files(folder, depth, token);
  add_workspace(folder, token, paths, loaded);
  add_explored(folder, paths, loaded);
  for (const std::string& path : paths) {
    if (token.is_cancelled()) {
      break;
    }
    loaded.files.push_back(read_source_file(path));
    read_so_far(loaded.files.size(), paths.size());
  }
  return loaded;
}

}  // namespace tacet::lsp
