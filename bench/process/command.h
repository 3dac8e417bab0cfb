#pragma once

#include <string>
#include <vector>

#include "bench/process/samples.h"
#include "bench/process/workspace_on_disk.h"

namespace tacet::bench {

/// Runs `program` with `arguments` over the workspace `n_times`; it must find nothing to say.
/// The whole life of the process counts.
auto measure_command(const WorkspaceOnDisk& workspace, const std::string& program,
                     std::vector<std::string> arguments, int n_times) -> Samples;

}  // namespace tacet::bench
