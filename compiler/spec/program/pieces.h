#pragma once

#include <functional>
#include <span>

#include "base/executor.h"
#include "compiler/front/names/queries.h"

/// Work on one large file in pieces: queries of its items are asked side by side, and what is then
/// asked of the whole file finds them answered.
namespace tacet::program {

/// Is `file` worth checking in pieces?
auto has_many_items(const query::Snapshot& snapshot, FileId file) -> bool;

/// Calls `body(context, i)` for all `i` below `n`, some dozens in a row on one thread of
/// `executor`.
void in_pieces(const query::Snapshot& snapshot, size_t n, Executor& executor,
               const std::function<void(query::Context&, size_t)>& body);

/// Calls `body(i)` for all of `files` on `executor`; for those with many items after `ask` was
/// called for each of these.
void for_files(const query::Snapshot& snapshot, std::span<const FileId> files, Executor& executor,
               const std::function<void(query::Context&, const names::FileItem&)>& ask,
               const std::function<void(size_t)>& body);

}  // namespace tacet::program
