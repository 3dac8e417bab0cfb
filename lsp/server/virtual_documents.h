#pragma once

#include "lsp/protocol/json.h"

namespace tacet::lsp {

struct Session;

/// The client requested the content of a document of ours (`workspace/textDocumentContent`): it is
/// notified when that changes.
void note_content_request(Session& session, const Json& params);
/// After an edit: asks the client, once the edits pause, to ask again for the contents that it has.
void refresh_contents_later(Session& session);

}  // namespace tacet::lsp
