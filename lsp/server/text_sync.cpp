#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/protocol/decode.h"
#include "lsp/server/server.h"

namespace tacet::lsp {

void Server::did_open(const Json& params) {
  auto decoded = decode_did_open(params);
  if (!decoded) {
    outbox_.log(MessageType::Error, "textDocument/didOpen: " + decoded.error().message);
    return;
  }
  if (decoded->text.size() > Document::kMaxText) {
    outbox_.log(MessageType::Error, fmt::format("{} is too large to open", decoded->uri));
    return;
  }
  std::string uri = decoded->uri;
  if (documents_.open(std::move(decoded).value())) {
    outbox_.log(MessageType::Warning,
                fmt::format("{} was open already; its text was replaced", uri));
  }
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
                fmt::format("a change of {}, which is not open, was ignored", decoded->uri));
    return;
  }
  EditOutcome outcome = document->apply(decoded->changes, decoded->version, client_->encoding);
  if (outcome == EditOutcome::TooLarge) {
    outbox_.log(MessageType::Error,
                fmt::format("{} became too large; an edit was ignored", decoded->uri));
  } else if (outcome == EditOutcome::Clamped && reported_.try_emplace(decoded->uri, true).second) {
    outbox_.log(
        MessageType::Warning,
        fmt::format("an edit of {} reached outside its text and was cut to it", decoded->uri));
  }
  documents_.touch(document->path());
  edited();
}

void Server::did_save(const Json&) {}

void Server::did_close(const Json& params) {
  auto decoded = decode_document(params);
  if (!decoded) {
    outbox_.log(MessageType::Error, "textDocument/didClose: " + decoded.error().message);
    return;
  }
  if (!documents_.close(decoded->uri)) {
    outbox_.log(MessageType::Warning, fmt::format("{} was closed, but not open", decoded->uri));
    return;
  }
  reported_.erase(decoded->uri);
  token_cache_->forget(decoded->uri);
  clear_diagnostics(decoded->uri);
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
  for (auto& [number, entry] : std::exchange(pending_, {})) {
    auto& [id, pending] = entry;
    pending.token.cancel();
    // A client that pulls diagnostics is told that asking again is worth it.
    bool is_pull = pending.method == "textDocument/diagnostic";
    outbox_.error(id,
                  {is_pull ? ErrorCode::ServerCancelled : ErrorCode::ContentModified,
                   "the text was edited meanwhile", is_pull ? R"({"retriggerRequest":true})" : ""});
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
