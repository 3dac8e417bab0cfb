// The files that are not open: read in the background.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/progress.h"
#include "lsp/server/server.h"

namespace tacet::lsp {

/// How long diagnostics wait for the files that an opened one may import.
static constexpr std::chrono::milliseconds kImportPatience(300);

/// Some clients tell a folder that goes as one deletion, without its files: so all deletions.
static constexpr const char* kWatchRegistration =
    R"({"registrations":[{"id":"tacet-files","method":"workspace/didChangeWatchedFiles",)"
    R"("registerOptions":{"watchers":[{"globPattern":"**/*.tacet"},{"globPattern":"**/*.cm"},)"
    R"({"globPattern":"**/*.tlhe"},{"globPattern":"**/tacet.toml"},{"globPattern":"**/*","kind":4}]}}]})";

void Server::initialized(const Json&) {
  if (client_->capabilities.registers_watched_files) {
    outbox_.request("client/registerCapability", kWatchRegistration);
  }
  register_configuration();
  ask_for_configuration();
  for (std::string& folder : workspace_folders()) {
    load_folder(std::move(folder), Depth::AllBelow, Gate::Open);
  }
}

auto Server::workspace_folders() const -> std::vector<std::string> {
  std::vector<std::string> folders;
  for (const std::string& uri : workspace_uris_) {
    if (auto folder = path_of_uri(uri)) {
      folders.push_back(*std::move(folder));
    }
  }
  return folders;
}

auto Server::is_in_workspace(const std::string& path) const -> bool {
  const std::vector<std::string> folders = workspace_folders();
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return is_below(path, folder); });
}

auto Server::is_source(const std::string& path) const -> bool {
  const std::string around = path.substr(0, std::max<size_t>(path.rfind('/'), 1));
  if (!is_source_path(path)) {
    return false;
  }
  if (folders_.contains(around)) {
    return true;
  }
  for (const auto& [root, folders] : source_folders_) {
    if (std::find(folders.begin(), folders.end(), around) != folders.end()) {
      return true;
    }
  }
  const std::vector<std::string> folders = workspace_folders();
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return is_below(path, folder) && !is_left_out(path, folder);
  });
}

auto Server::is_looked_at(const std::string& folder) const -> bool {
  return folders_.contains(folder) || source_folders_.contains(folder) || is_in_workspace(folder);
}

void Server::load_neighbours(const Document& document, std::string_view text) {
  const std::string& path = document.path();
  size_t slash = path.rfind('/');
  const bool is_file = path.starts_with('/') && slash != std::string::npos;
  const bool imports = text.find("import") != std::string_view::npos;
  if (!is_file || (!imports && is_in_workspace(path))) {
    return;
  }
  std::string folder = path.substr(0, std::max<size_t>(slash, 1));
  if (folders_.insert(folder).second) {
    // What imports nothing yet may do so soon, and waits for nobody.
    load_folder(folder, Depth::ThisFolder, imports ? Gate::Closed : Gate::Open);
  }
}

void Server::load_folder(std::string folder, Depth depth, Gate gate) {
  if (bounds_.files == FileAccess::None) {
    return;
  }
  if (gate == Gate::Closed) {
    ++n_gates_;
    gate_limit_.start(kImportPatience, [this] {
      n_gates_ = 0;
      input_drained();
    });
  }
  std::shared_ptr<Progress> progress;
  if (depth == Depth::AllBelow && client_->capabilities.work_done_progress) {
    progress = Progress::start(outbox_, fmt::format("tacet/load/{}", ++n_progresses_),
                               fmt::format("Reading {}", folder));
  }
  pool_.submit(Priority::Background, [this, folder = std::move(folder), depth, gate, progress,
                                      ticket = read_order_.begin(), token = end_token_]() mutable {
    size_t n_told = 0;
    auto read_so_far = [&](size_t n_read, size_t n_all) {
      if (progress != nullptr && 100 * (n_read - n_told) >= n_all) {
        n_told = n_read;
        loop_.post([progress, n_read, n_all] { progress->report(n_read, n_all); });
      }
    };
    LoadedFolder loaded = load_source_folder(folder, depth, token, read_so_far);
    if (token.is_cancelled()) {
      return;
    }
    loop_.post([this, gate, progress, ticket, folder, loaded = std::move(loaded)]() mutable {
      if (gate == Gate::Closed) {
        n_gates_ -= n_gates_ > 0 ? 1 : 0;
      }
      if (progress != nullptr) {
        progress->end(fmt::format("{} files", loaded.files.size()));
      }
      if (is_looked_at(folder)) {
        take_folder(std::move(loaded), ticket);
      }
      read_order_.end();
      input_drained();
    });
  });
}

void Server::take_folder(LoadedFolder folder, ReadOrder::Ticket ticket) {
  if (exit_code_) {
    return;
  }
  for (const std::string& problem : folder.problems) {
    outbox_.notify("window/showMessage", encode_log_message(MessageType::Warning, problem));
  }
  if (read_order_.take(folder.workspace + std::string(kManifestName), ticket)) {
    take_source_folders(folder);
    take_lint(folder);
    take_protocol(folder);
  }
  take_files(std::move(folder.files), ticket);
}

/// Sets where modules are looked for, if that is news.
void Server::take_source_folders(const LoadedFolder& folder) {
  auto known = source_folders_.find(folder.workspace);
  const bool is_known = folder.workspace.empty() ||
                        (known != source_folders_.end() && known->second == folder.source_folders);
  if (is_known) {
    return;
  }
  source_folders_[folder.workspace] = folder.source_folders;
  std::vector<std::string> all;
  for (const auto& [root, folders] : source_folders_) {
    all.insert(all.end(), folders.begin(), folders.end());
  }
  host_.set_source_folders(std::move(all));
  needs_diagnostics_ = true;
}

/// Sets what is told about secrets, if that is news.
void Server::take_lint(const LoadedFolder& folder) {
  const auto known = lint_.find(folder.workspace);
  if (folder.workspace.empty() || (known != lint_.end() && known->second == folder.lint)) {
    return;
  }
  lint_[folder.workspace] = folder.lint;
  apply_lint();
}

/// Sets how functions on secret shares are computed, if that is news.
void Server::take_protocol(const LoadedFolder& folder) {
  std::string& known = protocols_[folder.workspace];
  if (known != folder.protocol && !folder.workspace.empty()) {
    known = folder.protocol;
    host_.set_protocol(folder.workspace, folder.protocol);
    refresh_decorations();
  }
}

void Server::load_file(std::string path) {
  if (bounds_.files == FileAccess::None) {
    return;
  }
  pool_.submit(Priority::Background, [this, path = std::move(path), ticket = read_order_.begin()] {
    SourceFileText file = read_source_file(path);
    loop_.post([this, ticket, file = std::move(file)]() mutable {
      std::vector<SourceFileText> files;
      files.push_back(std::move(file));
      take_files(std::move(files), ticket);
      read_order_.end();
    });
  });
}

void Server::take_files(std::vector<SourceFileText> files, ReadOrder::Ticket ticket) {
  if (exit_code_) {
    return;
  }
  // What is open is what the client says it is.
  std::erase_if(files, [&](const SourceFileText& file) {
    return !read_order_.take(file.path, ticket) || documents_.find_path(file.path) != nullptr;
  });
  std::vector<ide::FileChange> changes;
  for (SourceFileText& file : files) {
    if (!file.problem.empty()) {
      outbox_.log(MessageType::Warning, file.problem);
    }
    changes.push_back({std::move(file.path), std::move(file.text), false});
  }
  if (!changes.empty()) {
    // What was closed must not be taken away after it was read anew.
    flush();
    host_.apply(changes);
    needs_diagnostics_ = true;
    index_more();
    refresh_pulled_diagnostics();
    refresh_decorations();
  }
  input_drained();
}

/// A part takes a few milliseconds, so that it is done before an edit cuts it short; what was found
/// out before one stays known.
static constexpr size_t kIndexPart = 128;

void Server::index_more() {
  if (exit_code_ || is_indexing_) {
    return;
  }
  std::shared_ptr<const ide::Analysis> analysis = make_context(end_token_).analysis;
  const std::vector<FileId> files = analysis->files();
  n_indexed_ = std::min(n_indexed_, files.size());
  const size_t n_left = files.size() - n_indexed_;
  host_.set_offers_imports(n_left <= kIndexPart);
  if (n_left <= kIndexPart) {
    // So few cost nobody who asks anything.
    if (index_progress_ != nullptr) {
      index_progress_->end(fmt::format("{} files", files.size()));
      index_progress_ = nullptr;
    }
    return;
  }
  if (index_progress_ == nullptr && client_->capabilities.work_done_progress) {
    index_progress_ =
        Progress::start(outbox_, fmt::format("tacet/index/{}", ++n_progresses_), "Indexing");
  }
  if (index_progress_ != nullptr) {
    index_progress_->report(n_indexed_, files.size());
  }
  is_indexing_ = true;
  const auto begin = files.begin() + static_cast<ptrdiff_t>(n_indexed_);
  std::vector<FileId> part(begin, begin + static_cast<ptrdiff_t>(kIndexPart));
  pool_.submit(Priority::Background,
               [this, analysis = std::move(analysis), part = std::move(part)]() mutable {
                 const bool is_done = analysis->index(part);
                 analysis.reset();
                 loop_.post([this, n = is_done ? part.size() : 0] {
                   is_indexing_ = false;
                   n_indexed_ += n;
                   index_more();
                 });
               });
}

void Server::refresh_pulled_diagnostics() {
  const ClientCapabilities& client = client_->capabilities;
  if (client.pulls_diagnostics && client.refreshes_diagnostics) {
    outbox_.request("workspace/diagnostic/refresh", "null");
  }
}

}  // namespace tacet::lsp
