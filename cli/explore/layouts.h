#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/explore/candidates.h"
#include "cli/explore/explore_options.h"

namespace tacet::cli {

/// The `n` best layouts of a function on `he` that the search compares, as clauses, fastest first:
/// none is as good as another in all that it costs. Fewer if there are not so many; none if the
/// function has several results, or cannot be laid out.
auto best_layouts(const program::FrontendSnapshot& snapshot, names::ItemId item,
                  const Candidate& candidate, size_t n, const ExploreOptions& options,
                  Invocation& invocation) -> std::vector<std::string>;

}  // namespace tacet::cli
