#pragma once

#include <span>
#include <vector>

#include "compiler/spec/program/explored_choice.h"
#include "compiler/spec/program/frontend.h"

namespace tacet::problems {

/// What `tacet.explore` says of a file, the file's choices alone: T7001 for a choice that the
/// program no longer has, T7002 where it measured something else as at least twice as fast as what
/// the text has. T7002 is at the call, which may be in a file that this one imports. Looks at heads
/// and names alone, so that it costs little after an edit.
auto explored_findings(const program::FrontendSnapshot& snapshot, FileId file,
                       std::span<const program::ExploredChoice> choices) -> std::vector<Diagnostic>;

}  // namespace tacet::problems
