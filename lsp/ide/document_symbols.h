#pragma once

#include <vector>

#include "compiler/core/syntax/file_syntax.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// Feature: Document symbols
///
/// The items of a file in the order of the text, the members of a class below it. The
/// detail of a function is its head, from its parameters to its results.
auto document_symbols(const syntax::FileSyntax& file) -> std::vector<Symbol>;

}  // namespace tacet::ide
