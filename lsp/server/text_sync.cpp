#include "lsp/server/text_sync.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/configuration.h"
#include "lsp/server/push_diagnostics.h"
#include "lsp/server/requests.h"
#include "lsp/server/session.h"
#include "lsp/server/virtual_documents.h"
#include "lsp/server/workspace.h"

namespace tacet::lsp {

/// Errors at the word are due: somebody stopped typing it.
static void end_typing(Session& session) {
  session.typing_pause.stop();
  const std::shared_ptr<TypedWord> typed = std::exchange(session.typed, nullptr);
  if (typed == nullptr || !typed->end()) {
    return;
  }
  if (session.client->capabilities.pulls_diagnostics) {
    refresh_pulled_diagnostics(session);
  } else {
    session.needs_diagnostics = true;
    input_drained(session);
  }
}

/// Holds back errors at the word that an edit is part of. A client that pulls diagnostics is
/// notified when they are due.
static void begin_typing(Session& session, const std::string& uri, const ContentChange& change) {
  const ClientCapabilities& client = session.client->capabilities;
  const bool is_told = !client.pulls_diagnostics || client.refreshes_diagnostics;
  const std::chrono::milliseconds pause(session.client->settings.diagnostics_delay.value_or(
      static_cast<uint32_t>(session.options.typing_pause.count())));
  const bool is_word = change.range && change.text.find('\n') == std::string::npos;
  if (pause.count() > 0 && is_told && is_word) {
    session.typed = std::make_shared<TypedWord>(uri, change.range->start,
                                                static_cast<uint32_t>(change.text.size()));
    session.typing_pause.start(pause, [&session] { end_typing(session); });
  }
}

/// After every change of text.
static void note_edit(Session& session) {
  // What was held back is computed again; a client that pulls asks again for what it edits.
  session.typing_pause.stop();
  const std::shared_ptr<TypedWord> typed = std::exchange(session.typed, nullptr);
  if (typed != nullptr && typed->end() && typed->uri() != session.edited_uri) {
    refresh_pulled_diagnostics(session);
  }
  refresh_contents_later(session);
  session.needs_diagnostics = true;
  session.diagnostics_token.cancel();
  supersede_requests(session);
}

static void close_document(Session& session, const std::string& uri) {
  session.documents.close(uri);
  session.reported.erase(uri);
  session.token_cache->forget(uri);
  clear_diagnostics(session, uri);
  if (auto path = path_of_uri(uri); path && is_source(session, *path)) {
    load_file(session, *std::move(path));
  }
  note_edit(session);
}

void did_open(Session& session, const Json& params) {
  auto decoded = read_params(session, "textDocument/didOpen", params, decode_did_open);
  if (!decoded) {
    return;
  }
  if (decoded->text.size() > session.options.bounds.most_text) {
    session.outbox.log(MessageType::Error,
                       fmt::format("{} exceeds {} MB and is not analysed", decoded->uri,
                                   session.options.bounds.most_text >> 20));
    return;
  }
  if (session.documents.find(decoded->uri) == nullptr &&
      session.documents.size() >= session.options.bounds.most_documents) {
    session.outbox.log(MessageType::Error,
                       fmt::format("{} was not opened: a session has at most {} documents",
                                   decoded->uri, session.options.bounds.most_documents));
    return;
  }
  std::string uri = decoded->uri;
  if (session.documents.open(std::move(decoded).value())) {
    session.outbox.log(MessageType::Warning,
                       fmt::format("{} was already open; its text was replaced", uri));
  }
  Document& document = *session.documents.find(uri);
  load_neighbours(session, document, *document.view()->text);
  session.edited_uri = document.uri();
  note_edit(session);
}

void did_change(Session& session, const Json& params) {
  auto decoded = read_params(session, "textDocument/didChange", params, decode_did_change);
  if (!decoded) {
    return;
  }
  Document* document = session.documents.find(decoded->uri);
  if (document == nullptr) {
    session.outbox.log(MessageType::Error,
                       fmt::format("ignored a change of {}, which is not open", decoded->uri));
    return;
  }
  EditOutcome outcome = document->apply(decoded->changes, decoded->version,
                                        session.client->encoding, session.options.bounds.most_text);
  if (outcome == EditOutcome::TooLarge) {
    session.outbox.log(MessageType::Error,
                       fmt::format("{} exceeds {} MB and is not analysed until it is reopened",
                                   decoded->uri, session.options.bounds.most_text >> 20));
    close_document(session, decoded->uri);
    return;
  }
  if (outcome == EditOutcome::Clamped && session.reported.try_emplace(decoded->uri, true).second) {
    session.outbox.log(
        MessageType::Warning,
        fmt::format("an edit of {} exceeded its text and was truncated", decoded->uri));
  }
  session.documents.touch(document->path());
  session.edited_uri = document->uri();
  note_edit(session);
  if (!decoded->changes.empty()) {
    begin_typing(session, document->uri(), decoded->changes.back());
  }
}

void did_save(Session& session, const Json&) {
  end_typing(session);
  refresh_decorations(session);
}

void did_close(Session& session, const Json& params) {
  auto decoded = read_params(session, "textDocument/didClose", params, decode_document);
  if (!decoded) {
    return;
  }
  if (session.documents.find(decoded->uri) == nullptr) {
    session.outbox.log(MessageType::Warning,
                       fmt::format("{} was closed but was not open", decoded->uri));
    return;
  }
  close_document(session, decoded->uri);
}

void flush_edits(Session& session) {
  if (!session.documents.has_touched()) {
    return;
  }
  std::vector<ide::FileChange> changes;
  for (std::string& path : session.documents.take_touched()) {
    Document* document = session.documents.find_path(path);
    bool is_open = document != nullptr;
    changes.push_back({std::move(path), is_open ? document->view()->text : nullptr, is_open});
  }
  session.host.apply(changes);
}

}  // namespace tacet::lsp
