#pragma once

#include "base/result.h"
#include "cli/run/run_options.h"

namespace tacet::cli {

/// The options with what `tacet.toml` around the program says about device and security, where the
/// command line says nothing. Compiled programs and standard input have none around them. An error
/// means that the file is wrong.
auto with_workspace_defaults(RunOptions options) -> Result<RunOptions>;

}  // namespace tacet::cli
