#pragma once

#include <vector>

#include "compiler/front/names/resolve_body.h"
#include "compiler/spec/program/frontend.h"
#include "lsp/ide/completion_candidates.h"
#include "lsp/ide/completion_site.h"

namespace tacet::ide {

/// What the file sees of a namespace, its own first.
auto visible_entries(const program::FrontendSnapshot& snapshot, FileId file, names::Namespace space)
    -> std::vector<names::FileScope::Entry>;

/// The kinds of specifications that the `impls` around the cursor has no place for any more: those
/// that it names in front of the cursor, and of a device function all but `val`.
auto used_kinds(const program::FrontendSnapshot& snapshot, FileId file, const CompletionSite& site,
                names::BodyKind body) -> std::vector<names::ItemKind>;

/// What may be named behind `impls`, first those of a kind that the list in front of the cursor
/// lacks: a `val`, and of a coordinator function a `tmln` and a `sptl`, too.
void add_specifications(const program::FrontendSnapshot& snapshot, FileId file,
                        const CompletionSite& site, names::BodyKind body,
                        CompletionCandidates& candidates);

/// The names of types that can be secret: those of numbers, and of arrays of them. `around` is the
/// item that the cursor is in.
void add_secret_types(const program::FrontendSnapshot& snapshot, FileId file, names::ItemId around,
                      CompletionCandidates& candidates);

}  // namespace tacet::ide
