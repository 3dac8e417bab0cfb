#pragma once

#include <span>
#include <string_view>

#include "compiler/spec/program/frontend.h"
#include "lsp/ide/completion_candidates.h"

namespace tacet::ide {

/// Adds the names of `space` that modules declare which `file` could import and does not, the best
/// matches of them; none before a letter is typed. A module that already imports `file` is left
/// out, and so are functions of the library that cannot be called there. False if there are more.
auto add_unimported_names(const program::FrontendSnapshot& snapshot, FileId file,
                          names::Namespace space, std::string_view typed,
                          CompletionCandidates& candidates) -> bool;

/// What imports `module`: behind the last import at the top, else behind the version.
auto import_edit(const syntax::FileSyntax& syntax, std::string_view text, std::string_view module)
    -> TextEdit;

/// Finds out which names `files` declare. False if the revision ended meanwhile.
auto index_names(const program::FrontendSnapshot& snapshot, std::span<const FileId> files) -> bool;

}  // namespace tacet::ide
