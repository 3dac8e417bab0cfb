#pragma once

#include <string_view>

#include "base/result.h"
#include "compiler/run/cps/assembly.h"

namespace tacet::cps {

/// The assembly that `print` gave as `text`, without places in the source. An error names the line
/// and what was expected. What is well formed may still break the rules: see `check`.
auto parse(std::string_view text) -> Result<Program>;

}  // namespace tacet::cps
