#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacet::cli {

/// Where the value of the member `name` of a JSON object is in its text. An error if the text is
/// not an object, or has no such member, or two.
auto json_member(std::string_view text, std::string_view name) -> Result<std::string_view>;

/// Where the elements of a JSON array are in its text. An error if the text is not an array.
auto json_elements(std::string_view text) -> Result<std::vector<std::string_view>>;

/// The names of the members of a JSON object.
auto json_member_names(std::string_view text) -> Result<std::vector<std::string>>;

}  // namespace tacet::cli
