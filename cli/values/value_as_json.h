#pragma once

#include <string>

#include "compiler/run/interpret/value.h"

namespace tacet::cli {

/// The value in JSON, arrays as arrays. Numbers that JSON lacks are strings: `"nan"`, `"inf"`.
auto value_as_json(const interpret::Value& value) -> std::string;

}  // namespace tacet::cli
