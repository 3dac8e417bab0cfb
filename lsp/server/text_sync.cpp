#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/server.h"

namespace tacet::lsp {

void Server::did_open(const Json& params) {
  auto decoded = decode_did_open(params);
  if (!decoded) {
    outbox_.log(MessageType::Error, "textDocument/didOpen: " + decoded.error().message);
    return;
  }
  if (decoded->text.size() > bounds_.most_text) {
    outbox_.log(MessageType::Error, fmt::format("{} exceeds {} MB and is not analysed",
                                                decoded->uri, bounds_.most_text >> 20));
    return;
  }
  if (documents_.find(decoded->uri) == nullptr && documents_.size() >= bounds_.most_documents) {
    outbox_.log(MessageType::Error,
                fmt::format("{} was not opened: a session has at most {} documents", decoded->uri,
                            bounds_.most_documents));
    return;
  }
  std::string uri = decoded->uri;
  if (documents_.open(std::move(decoded).value())) {
    outbox_.log(MessageType::Warning,
                fmt::format("{} was already open; its text was replaced", uri));
  }
  Document& document = *documents_.find(uri);
  load_neighbours(document, *document.view()->text);
  edited_uri_ = document.uri();
  edited();
}

void Server::did_change(const Json& params) {
  auto decoded = decode_did_change(params);
  if (!decoded) {
    outbox_.log(MessageType::Error, "textDocument/didChange: " + decoded.error().message);
    return;
  }
  Document* document = documents_.find(decoded->uri);
  if (document == nullptr) {
    outbox_.log(MessageType::Error,
                fmt::format("ignored a change of {}, which is not open", decoded->uri));
    return;
  }
  EditOutcome outcome =
      document->apply(decoded->changes, decoded->version, client_->encoding, bounds_.most_text);
  if (outcome == EditOutcome::TooLarge) {
    outbox_.log(MessageType::Error,
                fmt::format("{} exceeds {} MB and is not analysed until it is reopened",
                            decoded->uri, bounds_.most_text >> 20));
    close_document(decoded->uri);
    return;
  }
  if (outcome == EditOutcome::Clamped && reported_.try_emplace(decoded->uri, true).second) {
    outbox_.log(MessageType::Warning,
                fmt::format("an edit of {} exceeded its text and was truncated", decoded->uri));
  }
  documents_.touch(document->path());
  edited_uri_ = document->uri();
  edited();
}

/// What is shown of other files may follow from this one. After every keystroke they would flicker.
void Server::did_save(const Json&) {
  refresh_decorations();
}

void Server::did_close(const Json& params) {
  auto decoded = decode_document(params);
  if (!decoded) {
    outbox_.log(MessageType::Error, "textDocument/didClose: " + decoded.error().message);
    return;
  }
  if (documents_.find(decoded->uri) == nullptr) {
    outbox_.log(MessageType::Warning, fmt::format("{} was closed but was not open", decoded->uri));
    return;
  }
  close_document(decoded->uri);
}

void Server::close_document(const std::string& uri) {
  documents_.close(uri);
  reported_.erase(uri);
  token_cache_->forget(uri);
  clear_diagnostics(uri);
  if (auto path = path_of_uri(uri); path && is_source(*path)) {
    load_file(*std::move(path));
  }
  edited();
}

/// After every change of text.
void Server::edited() {
  needs_diagnostics_ = true;
  diagnostics_token_.cancel();
  supersede_requests();
}

/// Answers everything under way: what is computed from text that is gone is of no use,
/// and would be wrong as an edit.
void Server::supersede_requests() {
  for (auto& [number, pending] : std::exchange(pending_, {})) {
    pending.token.cancel();
    // A client that pulls diagnostics is told that asking again is worth it.
    bool is_pull = pending.handler->run == pull_diagnostics ||
                   pending.handler->run == pull_workspace_diagnostics;
    outbox_.error(pending.id, {is_pull ? ErrorCode::ServerCancelled : ErrorCode::ContentModified,
                               "the text changed in the meantime",
                               is_pull ? R"({"retriggerRequest":true})" : ""});
  }
}

void Server::flush() {
  if (!documents_.has_touched()) {
    return;
  }
  std::vector<ide::FileChange> changes;
  for (std::string& path : documents_.take_touched()) {
    Document* document = documents_.find_path(path);
    bool is_open = document != nullptr;
    changes.push_back({std::move(path), is_open ? document->view()->text : nullptr, is_open});
  }
  host_.apply(changes);
}

}  // namespace tacet::lsp
