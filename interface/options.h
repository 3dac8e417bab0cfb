#pragma once

#include <span>
#include <string_view>

#include "interface/handles.h"

namespace tacet::interface {

/// The options as the command line has them; null: none. An error names one that is not in
/// `allowed`, which what is called has no use for.
auto run_options_of(const tacet_options* options, std::span<const std::string_view> allowed)
    -> Result<cli::RunOptions>;

/// The values of a repeated option.
auto values_of_option(const tacet_options* options, std::string_view name)
    -> std::vector<std::string>;

}  // namespace tacet::interface
