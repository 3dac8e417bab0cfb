// How files and folders that are not open change, come and go.

#include "lsp/server/workspace_changes.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/session.h"
#include "lsp/server/workspace.h"

namespace tacet::lsp {

/// Takes back what the `tacet.toml` of a folder said.
static void forget_manifest(Session& session, const std::string& folder) {
  // Results of reads in progress are outdated, too.
  session.read_order.set_removed(folder + std::string(kManifestName));
  take_source_folders(session, {{}, folder, {}, {}, {}});
  take_lint(session, {{}, folder, {}, {}, {}});
}

/// Files, manifests and folders of such paths are no more, but for open documents.
static void forget_paths(Session& session,
                         const std::function<bool(const std::string& path)>& is_removed) {
  std::vector<std::string> roots;
  for (const auto& [root, folders] : session.source_folders) {
    roots.push_back(root);
  }
  for (const std::string& root : roots) {
    if (is_removed(root)) {
      forget_manifest(session, root);
      session.source_folders.erase(root);
    }
  }
  const auto analysis = make_context(session, session.end_token).analysis;
  std::vector<ide::FileChange> changes;
  for (const FileId file : analysis->files()) {
    std::string path = analysis->path(file);
    if (is_removed(path) && session.documents.find_path(path) == nullptr) {
      changes.push_back({std::move(path), nullptr, false});
    }
  }
  std::erase_if(session.folders, is_removed);
  if (!changes.empty()) {
    session.host.apply(changes);
    session.needs_diagnostics = true;
  }
}

/// Files below a folder that left the workspace are removed, unless open.
static void forget_folder(Session& session, const std::string& folder) {
  const std::vector<std::string> left = workspace_folders(session);
  forget_paths(session, [&](const std::string& path) {
    return is_below(path, folder) &&
           std::none_of(left.begin(), left.end(),
                        [&](const std::string& other) { return is_below(path, other); });
  });
}

/// Is the path one of these, or below one?
static auto is_one_or_below(std::string_view path,
                            const std::set<std::string, std::less<>>& folders) -> bool {
  while (!folders.contains(path)) {
    const size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) {
      return false;
    }
    path = path.substr(0, slash);
  }
  return true;
}

/// Reads folders that exist although they were reported removed.
static void reload_folders(Session& session, std::set<std::string, std::less<>> removed) {
  std::erase_if(removed, [&session](const std::string& path) {
    const std::vector<std::string> roots = workspace_folders(session);
    return std::none_of(roots.begin(), roots.end(), [&](const std::string& root) {
      return is_below(path, root) && !is_left_out(path + "/", root);
    });
  });
  if (removed.empty() || session.options.bounds.files == FileAccess::None) {
    return;
  }
  // The client may have reported their removal late, or twice.
  session.read_order.begin();
  session.pool.submit(Priority::Background, [&session, removed = std::move(removed)] {
    std::vector<std::string> folders;
    for (const std::string& path : removed) {
      std::error_code ignored;
      if (std::filesystem::is_directory(path, ignored)) {
        folders.push_back(path);
      }
    }
    session.loop.post([&session, folders = std::move(folders)] {
      for (const std::string& folder : folders) {
        load_folder(session, folder, Depth::AllBelow, Gate::Open);
      }
      session.read_order.end();
    });
  });
}

void did_change_workspace_folders(Session& session, const Json& params) {
  auto decoded =
      read_params(session, "workspace/didChangeWorkspaceFolders", params, decode_workspace_folders);
  if (!decoded) {
    return;
  }
  for (const std::string& uri : decoded->removed) {
    std::erase(session.workspace_uris, uri);
    if (auto folder = path_of_uri(uri)) {
      forget_folder(session, *folder);
    }
  }
  for (const std::string& uri : decoded->added) {
    session.workspace_uris.push_back(uri);
    if (auto folder = path_of_uri(uri)) {
      load_folder(session, *folder, Depth::AllBelow, Gate::Open);
    }
  }
  // What is open may import from beside it still.
  for (Document* document : session.documents.all()) {
    load_neighbours(session, *document, *document->view()->text);
  }
  session.needs_diagnostics = true;
  refresh_pulled_diagnostics(session);
  input_drained(session);
}

void did_change_watched_files(Session& session, const Json& params) {
  auto decoded =
      read_params(session, "workspace/didChangeWatchedFiles", params, decode_watched_files);
  if (!decoded) {
    return;
  }
  // Clients notified of the removal of a whole folder report only that.
  std::set<std::string, std::less<>> removed;
  for (const FileEvent& event : decoded->changes) {
    auto path = path_of_uri(event.uri);
    if (path && is_source_path(*path)) {
      if (is_source(session, *path)) {
        load_file(session, *std::move(path));
      }
    } else if (path && path->ends_with(kManifestName)) {
      std::string folder = path->substr(0, path->size() - kManifestName.size());
      // If it was removed, nothing replaces its contents.
      forget_manifest(session, folder);
      load_folder(session, std::move(folder), Depth::ThisFolder, Gate::Open);
    } else if (path && path->ends_with(kExploreName)) {
      load_folder(session, path->substr(0, path->size() - kExploreName.size()), Depth::ThisFolder,
                  Gate::Open);
    } else if (path && event.kind == FileEventKind::Deleted) {
      path->resize(std::max<size_t>(path->find_last_not_of('/') + 1, 1));
      session.read_order.set_removed(*path);
      removed.insert(*std::move(path));
    }
  }
  if (!removed.empty()) {
    forget_paths(session, [&](const std::string& path) { return is_one_or_below(path, removed); });
    reload_folders(session, std::move(removed));
    input_drained(session);
  }
}

}  // namespace tacet::lsp
