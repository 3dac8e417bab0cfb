#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/net/link_times.h"
#include "project/manifest.h"

namespace tacet::cli {

/// The slowest of the links between the parties of a workspace.
struct SlowestLinks {
  double latency_milliseconds = 0;  ///< of a message
  double megabits = 0;              ///< a second
};

/// What `tacet party measure` found for this workspace, with the parties that it has now; nothing
/// if it did not run. In the user's cache folder.
auto measured_links(const project::Workspace& workspace) -> std::optional<SlowestLinks>;

/// The same link by link; empty if it did not run.
auto measured_link_times(const project::Workspace& workspace) -> std::vector<net::LinkTime>;

/// Measures the links between the parties of the workspace around `folder`, as the party `party`,
/// while the other parties do the same, and keeps the result. Returns the report for the user.
auto measure_links_of(const std::string& folder, const std::string& party,
                      const std::string& key_file) -> Result<std::string>;

}  // namespace tacet::cli
