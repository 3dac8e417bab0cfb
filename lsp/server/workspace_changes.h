#pragma once

#include "lsp/server/session.h"

namespace tacet::lsp {

/// How files and folders that are not open come, change and go.
void did_change_watched_files(Session& session, const Json& params);
void did_change_workspace_folders(Session& session, const Json& params);

}  // namespace tacet::lsp
