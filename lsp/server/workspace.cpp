// The files that are not open: read in the background.

#include "lsp/server/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/ide/complete_imports.h"
#include "lsp/protocol/decode.h"
#include "lsp/protocol/encode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/configuration.h"
#include "lsp/server/progress.h"
#include "lsp/server/session.h"
#include "lsp/server/text_sync.h"

namespace tacet::lsp {

/// How long diagnostics wait for the files that an opened one may import.
static constexpr std::chrono::milliseconds kImportPatience(300);

/// Some clients report a removed folder as one deletion, without its files: so all deletions.
static constexpr const char* kWatchRegistration =
    R"({"registrations":[{"id":"tacet-files","method":"workspace/didChangeWatchedFiles",)"
    R"("registerOptions":{"watchers":[{"globPattern":"**/*.tacet"},{"globPattern":"**/*.cm"},)"
    R"({"globPattern":"**/*.tlhe"},{"globPattern":"**/tacet.toml"},{"globPattern":"**/tacet.explore"},{"globPattern":"**/*","kind":4}]}}]})";

/// A part takes a few milliseconds, so that it is done before an edit cuts it short; what was found
/// out before one stays known.
static constexpr size_t kIndexPart = 128;

auto workspace_folders(const Session& session) -> std::vector<std::string> {
  std::vector<std::string> folders;
  for (const std::string& uri : session.workspace_uris) {
    if (auto folder = path_of_uri(uri)) {
      folders.push_back(*std::move(folder));
    }
  }
  return folders;
}

auto is_in_workspace(const Session& session, const std::string& path) -> bool {
  const std::vector<std::string> folders = workspace_folders(session);
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return is_below(path, folder); });
}

auto is_source(const Session& session, const std::string& path) -> bool {
  const std::string around = path.substr(0, std::max<size_t>(path.rfind('/'), 1));
  if (!is_source_path(path)) {
    return false;
  }
  if (session.folders.contains(around)) {
    return true;
  }
  for (const auto& [root, folders] : session.source_folders) {
    if (std::find(folders.begin(), folders.end(), around) != folders.end()) {
      return true;
    }
  }
  const std::vector<std::string> folders = workspace_folders(session);
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return is_below(path, folder) && !is_left_out(path, folder);
  });
}

/// Do the sources of this folder belong to the workspace, or lie beside an opened document?
static auto is_looked_at(const Session& session, const std::string& folder) -> bool {
  return session.folders.contains(folder) || session.source_folders.contains(folder) ||
         is_in_workspace(session, folder);
}

void refresh_pulled_diagnostics(Session& session) {
  const ClientCapabilities& client = session.client->capabilities;
  if (client.pulls_diagnostics && client.refreshes_diagnostics) {
    session.outbox.request("workspace/diagnostic/refresh", "null");
  }
}

/// Finds out in the background what files declare that were read, part by part.
static void index_more(Session& session) {
  if (session.exit_code || session.is_indexing) {
    return;
  }
  std::shared_ptr<const ide::Analysis> analysis = make_context(session, session.end_token).analysis;
  const std::vector<FileId> files = analysis->files();
  session.n_indexed = std::min(session.n_indexed, files.size());
  const size_t n_left = files.size() - session.n_indexed;
  session.host.set_offers_imports(n_left <= kIndexPart);
  if (n_left <= kIndexPart) {
    // So few cost nobody who asks anything.
    if (session.index_progress != nullptr) {
      session.index_progress->end(fmt::format("{} files", files.size()));
      session.index_progress = nullptr;
    }
    return;
  }
  if (session.index_progress == nullptr && session.client->capabilities.work_done_progress) {
    session.index_progress = Progress::start(
        session.outbox, fmt::format("tacet/index/{}", ++session.n_progresses), "Indexing");
  }
  if (session.index_progress != nullptr) {
    session.index_progress->report(session.n_indexed, files.size());
  }
  session.is_indexing = true;
  const auto begin = files.begin() + static_cast<ptrdiff_t>(session.n_indexed);
  std::vector<FileId> part(begin, begin + static_cast<ptrdiff_t>(kIndexPart));
  session.pool.submit(Priority::Background,
                      [&session, analysis = std::move(analysis), part = std::move(part)]() mutable {
                        const bool is_done = ide::index_names(analysis->snapshot(), part);
                        analysis.reset();
                        session.loop.post([&session, n = is_done ? part.size() : 0] {
                          session.is_indexing = false;
                          session.n_indexed += n;
                          index_more(session);
                        });
                      });
}

static void take_files(Session& session, std::vector<SourceFileText> files,
                       ReadOrder::Ticket ticket) {
  if (session.exit_code) {
    return;
  }
  // What is open is what the client says it is.
  std::erase_if(files, [&](const SourceFileText& file) {
    return !session.read_order.take(file.path, ticket) ||
           session.documents.find_path(file.path) != nullptr;
  });
  std::vector<ide::FileChange> changes;
  for (SourceFileText& file : files) {
    if (!file.problem.empty()) {
      session.outbox.log(MessageType::Warning, file.problem);
    }
    changes.push_back({std::move(file.path), std::move(file.text), false});
  }
  if (!changes.empty()) {
    // A closed file must not be removed after it was read again.
    flush_edits(session);
    session.host.apply(changes);
    session.needs_diagnostics = true;
    index_more(session);
    refresh_pulled_diagnostics(session);
    refresh_decorations(session);
  }
  input_drained(session);
}

void take_source_folders(Session& session, const LoadedFolder& folder) {
  auto known = session.source_folders.find(folder.workspace);
  const bool is_known = folder.workspace.empty() || (known != session.source_folders.end() &&
                                                     known->second == folder.source_folders);
  if (is_known) {
    return;
  }
  session.source_folders[folder.workspace] = folder.source_folders;
  std::vector<std::string> all;
  for (const auto& [root, folders] : session.source_folders) {
    all.insert(all.end(), folders.begin(), folders.end());
  }
  session.host.set_source_folders(std::move(all));
  session.needs_diagnostics = true;
}

void take_lint(Session& session, const LoadedFolder& folder) {
  const auto known = session.lint.find(folder.workspace);
  if (folder.workspace.empty() || (known != session.lint.end() && known->second == folder.lint)) {
    return;
  }
  const bool changes_costs = session.lint[folder.workspace].parties != folder.lint.parties;
  session.lint[folder.workspace] = folder.lint;
  apply_lint(session);
  if (changes_costs) {
    refresh_decorations(session);
  }
}

void take_explored(Session& session, const ExploredFolder& explored) {
  project::ExploreFile& known = session.explored[explored.folder];
  if (known != explored.file) {
    known = explored.file;
    session.host.set_explored(explored.folder, explored.file);
    session.needs_diagnostics = true;
    refresh_pulled_diagnostics(session);
    refresh_decorations(session);
  }
}

static void take_folder(Session& session, LoadedFolder folder, ReadOrder::Ticket ticket) {
  if (session.exit_code) {
    return;
  }
  for (const std::string& problem : folder.problems) {
    session.outbox.notify("window/showMessage", encode_log_message(MessageType::Warning, problem));
  }
  if (session.read_order.take(folder.workspace + std::string(kManifestName), ticket)) {
    take_source_folders(session, folder);
    take_lint(session, folder);
  }
  for (const ExploredFolder& explored : folder.explored) {
    if (session.read_order.take(explored.folder + std::string(kExploreName), ticket)) {
      take_explored(session, explored);
    }
  }
  take_files(session, std::move(folder.files), ticket);
}

void load_folder(Session& session, std::string folder, Depth depth, Gate gate) {
  if (session.options.bounds.files == FileAccess::None) {
    return;
  }
  if (gate == Gate::Closed) {
    ++session.n_gates;
    session.gate_limit.start(kImportPatience, [&session] {
      session.n_gates = 0;
      input_drained(session);
    });
  }
  std::shared_ptr<Progress> progress;
  if (depth == Depth::AllBelow && session.client->capabilities.work_done_progress) {
    progress = Progress::start(session.outbox, fmt::format("tacet/load/{}", ++session.n_progresses),
                               fmt::format("Reading {}", folder));
  }
  session.pool.submit(Priority::Background, [&session, folder = std::move(folder), depth, gate,
                                             progress, ticket = session.read_order.begin(),
                                             token = session.end_token]() mutable {
    size_t n_reported = 0;
    auto read_so_far = [&](size_t n_read, size_t n_all) {
      if (progress != nullptr && 100 * (n_read - n_reported) >= n_all) {
        n_reported = n_read;
        session.loop.post([progress, n_read, n_all] { progress->report(n_read, n_all); });
      }
    };
    LoadedFolder loaded = load_source_folder(folder, depth, token, read_so_far);
    if (token.is_cancelled()) {
      return;
    }
    session.loop.post(
        [&session, gate, progress, ticket, folder, loaded = std::move(loaded)]() mutable {
          if (gate == Gate::Closed) {
            session.n_gates -= session.n_gates > 0 ? 1 : 0;
          }
          if (progress != nullptr) {
            progress->end(fmt::format("{} files", loaded.files.size()));
          }
          if (is_looked_at(session, folder)) {
            take_folder(session, std::move(loaded), ticket);
          }
          session.read_order.end();
          input_drained(session);
        });
  });
}

void load_file(Session& session, std::string path) {
  if (session.options.bounds.files == FileAccess::None) {
    return;
  }
  session.pool.submit(Priority::Background,
                      [&session, path = std::move(path), ticket = session.read_order.begin()] {
                        SourceFileText file = read_source_file(path);
                        session.loop.post([&session, ticket, file = std::move(file)]() mutable {
                          std::vector<SourceFileText> files;
                          files.push_back(std::move(file));
                          take_files(session, std::move(files), ticket);
                          session.read_order.end();
                        });
                      });
}

void load_neighbours(Session& session, const Document& document, std::string_view text) {
  const std::string& path = document.path();
  size_t slash = path.rfind('/');
  const bool is_file = path.starts_with('/') && slash != std::string::npos;
  const bool imports = text.find("import") != std::string_view::npos;
  if (!is_file || (!imports && is_in_workspace(session, path))) {
    return;
  }
  std::string folder = path.substr(0, std::max<size_t>(slash, 1));
  if (session.folders.insert(folder).second) {
    // What imports nothing yet may do so soon, and waits for nobody.
    load_folder(session, folder, Depth::ThisFolder, imports ? Gate::Closed : Gate::Open);
  }
}

void initialized(Session& session, const Json&) {
  if (session.client->capabilities.registers_watched_files) {
    session.outbox.request("client/registerCapability", kWatchRegistration);
  }
  register_configuration(session);
  ask_for_configuration(session);
  for (std::string& folder : workspace_folders(session)) {
    load_folder(session, std::move(folder), Depth::AllBelow, Gate::Open);
  }
}

}  // namespace tacet::lsp
