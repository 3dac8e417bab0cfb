#pragma once

#include <string>

#include "cli/run/encrypted_program.h"

namespace tacet::cli {

/// The program in a file that `tacet build` wrote. An error if it is something else.
auto read_built_program(const std::string& path) -> Result<EncryptedProgram>;

}  // namespace tacet::cli
