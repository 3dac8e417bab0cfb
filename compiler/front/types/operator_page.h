#pragma once

#include <string>

namespace tacet::types {

/// The page of the language book on operators, `docs/book/operators.md`: the table of their type
/// schemes, as Markdown.
auto operator_page() -> std::string;

}  // namespace tacet::types
