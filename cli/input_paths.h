#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace tacet::cli {

/// The paths a command works on: those that were named, or, if none was, the sources of the
/// workspace around the current folder, or that folder. What is wrong with a `tacet.toml` but
/// can be passed over is printed as a warning.
auto input_paths(const std::vector<std::string>& named, Invocation& invocation)
    -> Result<std::vector<std::string>>;

/// True if standard input is among `paths`.
auto reads_stdin(const std::vector<std::string>& paths) -> bool;

}  // namespace tacet::cli
