#pragma once

#include <string_view>

namespace tacet::ide {

/// What a keyword means, in Markdown; empty for what is no keyword.
auto keyword_documentation(std::string_view keyword) -> std::string_view;

}  // namespace tacet::ide
