#pragma once

#include "lsp/server/session.h"

namespace tacet::lsp {

/// The text of open documents.
void did_open(Session& session, const Json& params);
void did_change(Session& session, const Json& params);
/// What is shown of other files may follow from this one. After every keystroke they would flicker.
void did_save(Session& session, const Json& params);
void did_close(Session& session, const Json& params);

/// Passes every edit since the last call to the analysis.
void flush_edits(Session& session);

}  // namespace tacet::lsp
