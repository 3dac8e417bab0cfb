#pragma once

#include <string>

#include "base/result.h"
#include "engine/he_format/bundle.h"

namespace tacet::cli {

/// A compiled program for a key of several holders, from a file. Any other is an error.
auto read_joint_program(const std::string& path) -> Result<engine::HeBundle>;

}  // namespace tacet::cli
