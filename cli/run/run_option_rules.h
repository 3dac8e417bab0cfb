#pragma once

#include <string>

#include "cli/run/run_options.h"

namespace tacet::cli {

/// Why the options of `tacet run` do not go together, or nothing. `is_compiled`: the program is one
/// that `tacet build` wrote.
auto mistake_in(const RunOptions& options, bool is_compiled) -> std::string;

}  // namespace tacet::cli
