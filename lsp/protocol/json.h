#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tacet::lsp {

/// A JSON value. Headers only name it; the few .cpp files that look inside include
/// `<nlohmann/json.hpp>`.
using Json = nlohmann::json;

/// The text of a value on one line. Bytes that are not UTF-8 become U+FFFD, so that
/// what is sent is always valid.
auto to_text(const Json& value) -> std::string;

}  // namespace tacet::lsp
