#include "lsp/server/text_sync.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/configuration.h"
#include "lsp/server/push_diagnostics.h"
#include "lsp/server/requests.h"
#include "lsp/server/session.h"
#include "lsp/server/workspace.h"

namespace tacet::lsp {

/// After every change of text.
static void note_edit(Session& session) {
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
}

void did_save(Session& session, const Json&) {
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
