#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// The limit of results; more letters narrow the search.
inline constexpr size_t kMaxFoundSymbols = 256;

using PathOfFile = std::function<std::string(FileId file)>;

/// Feature: Workspace symbols
///
/// The items of `files`, and the members of classes, whose names have the letters of `query` in
/// their order, from the first on: those that begin with them first, then by name, then by path.
/// Only files with a match are parsed.
auto workspace_symbols(const program::FrontendSnapshot& snapshot, const std::vector<FileId>& files,
                       const PathOfFile& path_of, std::string_view query)
    -> std::vector<FoundSymbol>;

}  // namespace tacet::ide
