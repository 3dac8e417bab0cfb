#pragma once

#include <string>
#include <string_view>

namespace tacet::lsp {

/// The Markdown that hovers are made of, for clients that show plain text: fences and
/// rules are dropped, all else is kept as it is.
auto plain_text(std::string_view markdown) -> std::string;

}  // namespace tacet::lsp
