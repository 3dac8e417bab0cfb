#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/interpret/interpret.h"
#include "engine/random/public_random.h"

namespace tacet::cli {

/// The values that a command line gives for parameters: `values` in the order of the parameters
/// that `inputs` (`NAME=VALUE`) does not name. `key` gives the key of random values. An error names
/// the parameter, and what there is.
auto given_values(const std::vector<interpret::EntryParameter>& parameters,
                  const std::vector<std::string>& values, const std::vector<std::string>& inputs,
                  std::function<engine::PublicRandomKey()> key)
    -> Result<std::vector<interpret::Value>>;

/// The parameter of this name, or an error with the nearest one.
auto find_parameter(const std::vector<interpret::EntryParameter>& parameters, std::string_view name)
    -> Result<size_t>;

}  // namespace tacet::cli
