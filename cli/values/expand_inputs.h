#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacet::cli {

/// `--input @FILE` means `NAME=@FILE:NAME` for each parameter that the file has a column or member
/// for, except those that an input names itself. Others stay as they are.
auto expand_inputs(const std::vector<std::string>& inputs,
                   const std::vector<std::string_view>& parameters)
    -> Result<std::vector<std::string>>;

/// What the files of `--input @FILE` have instead of the parameter, each behind `; `.
auto without_input(const std::vector<std::string>& inputs, std::string_view parameter)
    -> std::string;

}  // namespace tacet::cli
