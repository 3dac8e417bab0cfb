#pragma once

#include <string>

#include "cli/explore/candidates.h"

namespace tacet::cli {

/// What pinning a choice made of a program.
struct Pinned {
  std::string text;
  /// What the text has no place for, such as a scheme: a sentence, or empty.
  std::string remark;
};

/// Writes a choice into the text of `file`: other names at calls, and for a pipeline another
/// function. An error if the program has nothing of what is to be replaced.
auto pin_choice(const program::FrontendSnapshot& snapshot, FileId file, const std::string& text,
                const Candidate& candidate, const std::string& pipeline) -> Result<Pinned>;

}  // namespace tacet::cli
