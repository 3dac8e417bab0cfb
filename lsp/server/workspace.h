#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lsp/server/session.h"

namespace tacet::lsp {

/// Whether diagnostics wait for files that are being read.
enum class Gate : uint8_t { Open, Closed };

/// Reads the files of the workspace, and subscribes to changes.
void initialized(Session& session, const Json& params);

auto workspace_folders(const Session& session) -> std::vector<std::string>;
auto is_in_workspace(const Session& session, const std::string& path) -> bool;
/// Would a file of this path have been read with its workspace, or beside an opened document?
auto is_source(const Session& session, const std::string& path) -> bool;

/// Reads what an opened document may import: the sources of its folder.
void load_neighbours(Session& session, const Document& document, std::string_view text);
void load_folder(Session& session, std::string folder, Depth depth, Gate gate);
void load_file(Session& session, std::string path);

/// Sets where modules are looked for, if that is news.
void take_source_folders(Session& session, const LoadedFolder& folder);
/// Sets the level of findings about secrets, if changed.
void take_lint(Session& session, const LoadedFolder& folder);

/// Passes what was explored in a folder to the analysis.
void take_explored(Session& session, const ExploredFolder& explored);

void refresh_pulled_diagnostics(Session& session);

}  // namespace tacet::lsp
