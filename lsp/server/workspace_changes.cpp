// How files and folders that are not open change, come and go.

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/server.h"

namespace tacet::lsp {

void Server::forget_manifest(const std::string& folder) {
  // What a read found that is under way is old, too.
  read_order_.set_gone(folder + std::string(kManifestName));
  take_source_folders({{}, folder, {}, {}, {}});
  take_lint({{}, folder, {}, {}, {}});
  take_protocol({{}, folder, {}, {}, {}});
}

void Server::forget_folder(const std::string& folder) {
  const std::vector<std::string> left = workspace_folders();
  forget([&](const std::string& path) {
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

void Server::forget(const std::function<bool(const std::string& path)>& is_gone) {
  std::vector<std::string> roots;
  for (const auto& [root, folders] : source_folders_) {
    roots.push_back(root);
  }
  for (const std::string& root : roots) {
    if (is_gone(root)) {
      forget_manifest(root);
      source_folders_.erase(root);
    }
  }
  const auto analysis = make_context(end_token_).analysis;
  std::vector<ide::FileChange> changes;
  for (const FileId file : analysis->files()) {
    std::string path = analysis->path(file);
    if (is_gone(path) && documents_.find_path(path) == nullptr) {
      changes.push_back({std::move(path), nullptr, false});
    }
  }
  std::erase_if(folders_, is_gone);
  if (!changes.empty()) {
    host_.apply(changes);
    needs_diagnostics_ = true;
  }
}

void Server::reload_folders(std::set<std::string, std::less<>> gone) {
  std::erase_if(gone, [this](const std::string& path) {
    const std::vector<std::string> roots = workspace_folders();
    return std::none_of(roots.begin(), roots.end(), [&](const std::string& root) {
      return is_below(path, root) && !is_left_out(path + "/", root);
    });
  });
  if (gone.empty() || bounds_.files == FileAccess::None) {
    return;
  }
  // The client may have told late that they were gone, or twice.
  read_order_.begin();
  pool_.submit(Priority::Background, [this, gone = std::move(gone)] {
    std::vector<std::string> folders;
    for (const std::string& path : gone) {
      std::error_code ignored;
      if (std::filesystem::is_directory(path, ignored)) {
        folders.push_back(path);
      }
    }
    loop_.post([this, folders = std::move(folders)] {
      for (const std::string& folder : folders) {
        load_folder(folder, Depth::AllBelow, Gate::Open);
      }
      read_order_.end();
    });
  });
}

void Server::did_change_workspace_folders(const Json& params) {
  auto decoded = decode_workspace_folders(params);
  if (!decoded) {
    outbox_.log(MessageType::Error,
                "workspace/didChangeWorkspaceFolders: " + decoded.error().message);
    return;
  }
  for (const std::string& uri : decoded->removed) {
    std::erase(workspace_uris_, uri);
    if (auto folder = path_of_uri(uri)) {
      forget_folder(*folder);
    }
  }
  for (const std::string& uri : decoded->added) {
    workspace_uris_.push_back(uri);
    if (auto folder = path_of_uri(uri)) {
      load_folder(*folder, Depth::AllBelow, Gate::Open);
    }
  }
  // What is open may import from beside it still.
  for (Document* document : documents_.all()) {
    load_neighbours(*document, *document->view()->text);
  }
  needs_diagnostics_ = true;
  refresh_pulled_diagnostics();
  input_drained();
}

void Server::did_change_watched_files(const Json& params) {
  auto decoded = decode_watched_files(params);
  if (!decoded) {
    outbox_.log(MessageType::Error, "workspace/didChangeWatchedFiles: " + decoded.error().message);
    return;
  }
  // Clients that are told of a folder that went as a whole tell that alone.
  std::set<std::string, std::less<>> gone;
  for (const FileEvent& event : decoded->changes) {
    auto path = path_of_uri(event.uri);
    if (path && is_source_path(*path)) {
      if (is_source(*path)) {
        load_file(*std::move(path));
      }
    } else if (path && path->ends_with(kManifestName)) {
      std::string folder = path->substr(0, path->size() - kManifestName.size());
      // If it is gone there is nothing that would replace what it said.
      forget_manifest(folder);
      load_folder(std::move(folder), Depth::ThisFolder, Gate::Open);
    } else if (path && event.kind == FileEventKind::Deleted) {
      path->resize(std::max<size_t>(path->find_last_not_of('/') + 1, 1));
      read_order_.set_gone(*path);
      gone.insert(*std::move(path));
    }
  }
  if (!gone.empty()) {
    forget([&](const std::string& path) { return is_one_or_below(path, gone); });
    reload_folders(std::move(gone));
    input_drained();
  }
}

}  // namespace tacet::lsp
