#pragma once

#include <string>
#include <vector>

#include "cli/explore/candidates.h"

namespace tacet::cli {

/// What pinning a choice makes of a program.
struct Pinned {
  /// Of the program's own file, and of those that it imports.
  std::vector<program::FileEdits> edits;
  /// What the text has no place for, such as a scheme: a sentence, or empty.
  std::string remark;
};

/// Writes a choice into the texts of `file` and of what it imports: other names at calls, a layout,
/// and for a pipeline another function. An error if the program has nothing of what is to be
/// replaced.
auto pin_choice(const program::FrontendSnapshot& snapshot, FileId file, const Candidate& candidate,
                const std::string& pipeline) -> Result<Pinned>;

}  // namespace tacet::cli
