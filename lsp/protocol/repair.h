#pragma once

#include <string>
#include <string_view>

namespace tacet::lsp {

/// `body` with everything that stands for no character replaced by U+FFFD: each byte
/// that is not part of well-formed UTF-8, and each `\u` escape of half a surrogate
/// pair. Both keep their width of one UTF-16 unit, so columns stay what the client
/// means. Whatever else is wrong with the JSON is left alone.
auto repair_json(std::string_view body) -> std::string;

}  // namespace tacet::lsp
