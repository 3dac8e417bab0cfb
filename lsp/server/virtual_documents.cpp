#include "lsp/server/virtual_documents.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "lsp/protocol/decode.h"
#include "lsp/protocol/uri.h"
#include "lsp/server/session.h"

namespace tacet::lsp {

/// More than anybody looks at; of what is left out the client shows what it has.
static constexpr size_t kMostContents = 100;

void note_content_request(Session& session, const Json& params) {
  auto uri = decode_content_uri(params);
  // Explanations never change.
  const bool is_of_file = uri && (stage_of_uri(*uri) || oblivious_of_uri(*uri));
  if (is_of_file && session.client->capabilities.shows_virtual_documents &&
      session.contents.size() < kMostContents) {
    session.contents.insert(std::move(uri).value());
  }
}

/// A client that still shows a document requests it, and is notified of the next change.
static void refresh_contents(Session& session) {
  if (session.state != SessionState::Running) {
    return;
  }
  for (const std::string& uri : std::exchange(session.contents, {})) {
    session.outbox.request("workspace/textDocumentContent/refresh", to_text({{"uri", uri}}));
  }
}

void refresh_contents_later(Session& session) {
  if (!session.contents.empty()) {
    session.contents_pause.start(session.options.typing_pause,
                                 [&session] { refresh_contents(session); });
  }
}

}  // namespace tacet::lsp
