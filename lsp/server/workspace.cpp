// The files that are not open: read in the background, followed as they change.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/server.h"

namespace tacet::lsp {

/// How long diagnostics wait for the files that an opened one may import.
static constexpr std::chrono::milliseconds kImportPatience(300);

static constexpr const char* kWatchRegistration =
    R"({"registrations":[{"id":"tacet-files","method":"workspace/didChangeWatchedFiles",)"
    R"("registerOptions":{"watchers":[{"globPattern":"**/*.tacet"},{"globPattern":"**/*.cm"},)"
    R"({"globPattern":"**/*.tlhe"}]}}]})";

void Server::initialized(const Json&) {
  if (client_->capabilities.registers_watched_files) {
    outbox_.request("client/registerCapability", kWatchRegistration);
  }
  for (const std::string& uri : workspace_uris_) {
    if (auto folder = path_of_uri(uri)) {
      load_folder(*folder, Depth::AllBelow, Gate::Open);
    }
  }
}

void Server::load_neighbours(const Document& document, std::string_view text) {
  const std::string& path = document.path();
  size_t slash = path.rfind('/');
  bool may_import = path.starts_with('/') && text.find("import") != std::string_view::npos;
  if (!may_import || slash == std::string::npos) {
    return;
  }
  std::string folder = path.substr(0, std::max<size_t>(slash, 1));
  if (folders_.insert(folder).second) {
    load_folder(folder, Depth::ThisFolder, Gate::Closed);
  }
}

void Server::load_folder(std::string folder, Depth depth, Gate gate) {
  if (gate == Gate::Closed) {
    ++n_gates_;
    gate_limit_.start(kImportPatience, [this] {
      n_gates_ = 0;
      input_drained();
    });
  }
  pool_.submit(Priority::Background,
               [this, folder = std::move(folder), depth, gate, token = end_token_] {
                 std::vector<SourceFileText> files;
                 for (const std::string& path : find_source_files(folder, depth, token)) {
                   if (token.is_cancelled()) {
                     return;
                   }
                   files.push_back(read_source_file(path));
                 }
                 loop_.post([this, gate, files = std::move(files)]() mutable {
                   if (gate == Gate::Closed) {
                     n_gates_ -= n_gates_ > 0 ? 1 : 0;
                   }
                   take_files(std::move(files));
                 });
               });
}

void Server::load_file(std::string path) {
  pool_.submit(Priority::Background, [this, path = std::move(path)] {
    SourceFileText file = read_source_file(path);
    loop_.post([this, file = std::move(file)]() mutable {
      std::vector<SourceFileText> files;
      files.push_back(std::move(file));
      take_files(std::move(files));
    });
  });
}

void Server::take_files(std::vector<SourceFileText> files) {
  if (exit_code_) {
    return;
  }
  // What is open is what the client says it is.
  std::erase_if(files, [this](const SourceFileText& file) {
    return documents_.find_path(file.path) != nullptr;
  });
  std::vector<ide::FileChange> changes;
  for (SourceFileText& file : files) {
    changes.push_back({std::move(file.path), std::move(file.text), false});
  }
  if (!changes.empty()) {
    host_.apply(changes);
    needs_diagnostics_ = true;
    refresh_pulled_diagnostics();
  }
  input_drained();
}

void Server::refresh_pulled_diagnostics() {
  const ClientCapabilities& client = client_->capabilities;
  if (client.pulls_diagnostics && client.refreshes_diagnostics) {
    outbox_.request("workspace/diagnostic/refresh", "null");
  }
}

void Server::did_change_watched_files(const Json& params) {
  auto decoded = decode_watched_files(params);
  if (!decoded) {
    outbox_.log(MessageType::Error, "workspace/didChangeWatchedFiles: " + decoded.error().message);
    return;
  }
  for (const FileEvent& event : decoded->changes) {
    auto path = path_of_uri(event.uri);
    if (path && is_source_path(*path)) {
      load_file(*std::move(path));
    }
  }
}

}  // namespace tacet::lsp
