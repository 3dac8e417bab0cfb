#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/run/run_target.h"
#include "compiler/front/types/columns.h"

namespace tacet::cli {

/// The text that the command line gives for each column of the parameters, empty for none. Mistakes
/// in numbers are left to the reader of values.
auto given_texts(const std::vector<types::ParameterColumn>& columns, const RunTarget& target)
    -> Result<std::vector<std::string>>;

}  // namespace tacet::cli
