#pragma once

#include "base/result.h"
#include "cli/run/run_target.h"

namespace tacet::cli {

/// The instance of `item` for the sizes and types that `target` gives, or that its values have;
/// `item` itself if it has no parameters of those kinds. An error names what disagrees, and what
/// would fit.
auto sized_target(const program::FrontendSnapshot& snapshot, names::ItemId item,
                  const RunTarget& target) -> Result<names::ItemId>;

}  // namespace tacet::cli
