#pragma once

#include <string>

#include "compiler/core/syntax/file_syntax.h"

namespace tacet::emit {

/// Stage `tree`: the syntax trees of a file's units under one root.
auto print_tree(const syntax::FileSyntax& file) -> std::string;

}  // namespace tacet::emit
