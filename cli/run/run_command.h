#pragma once

#include "cli/command.h"

namespace tacet::cli {

/// `tacet run`.
auto run_command() -> Command;

}  // namespace tacet::cli
