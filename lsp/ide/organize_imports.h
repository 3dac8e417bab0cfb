#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compiler/core/diagnostics/diagnostic.h"
#include "compiler/core/syntax/file_syntax.h"

namespace tacet::ide {

/// Feature: Organize imports
///
/// Sorts the imports at the top by name, each row of them without an empty line between by itself,
/// and leaves out those that are there twice or that `found` calls unused. With comments among them
/// they stay as they are: nobody knows which import a comment is about. Empty if all is in order.
auto organize_imports(const syntax::FileSyntax& syntax, std::string_view text,
                      std::span<const Diagnostic> found) -> std::vector<TextEdit>;

}  // namespace tacet::ide
