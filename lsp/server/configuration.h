#pragma once

#include "lsp/server/session.h"

namespace tacet::lsp {

/// `workspace/didChangeConfiguration`. Clients that answer `workspace/configuration` often send
/// nothing here.
void did_change_configuration(Session& session, const Json& params);

void register_configuration(Session& session);
void ask_for_configuration(Session& session);

/// Passes the wanted findings to the analysis: what `tacet.toml` says with the client's wishes over
/// it.
void apply_lint(Session& session);

/// Asks the client to refresh what it shows beside the text.
void refresh_decorations(Session& session);

}  // namespace tacet::lsp
