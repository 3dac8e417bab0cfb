#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "compiler/front/types/dtype.h"

namespace tacet::cli {

/// The type of the numbers that a command line gives: `fxp` if one of them has a fraction, else
/// `i64`, and that of NumPy arrays of integers. Nothing for what says nothing (`@random`, standard
/// input, booleans). Of tables all columns count, also those that are not selected. An error if a
/// file cannot be read.
auto number_kind_of_value(std::string_view text) -> Result<std::optional<types::DType>>;

}  // namespace tacet::cli
