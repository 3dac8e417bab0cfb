#pragma once

#include <vector>

#include "cli/command.h"

namespace tacet::cli {

/// The whole of a program that has `commands`: what its `main` returns. The process may be a party
/// of a run that another process of the same program started.
auto start(int argc, char** argv, std::vector<Command> (*commands)()) -> int;

}  // namespace tacet::cli
