#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/run/run_target.h"

namespace tacet::cli {

/// The text that the command line gives for each parameter, empty for none. Mistakes are left to
/// the reader of values.
auto given_texts(const program::FrontendSnapshot& snapshot, const types::Signature& signature,
                 const RunTarget& target) -> Result<std::vector<std::string>>;

}  // namespace tacet::cli
