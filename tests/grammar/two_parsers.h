#pragma once

#include <tree_sitter/api.h>

#include <string>
#include <string_view>

#include "compiler/core/syntax/file_syntax.h"
#include "tests/grammar/grammar_parser.h"

/// Holds the compiler's parser against the grammar's.
namespace tacet::testing {

/// The tree below the root, a line a node, as far as both parsers speak of it: fields, kinds and
/// offsets; no comments, and no token inside a node that is one keyword.
auto outline(const TSTree* tree) -> std::string;
auto outline(const syntax::FileSyntax& file) -> std::string;

/// The first syntax error with its code and place, or nothing.
auto first_error(const syntax::FileSyntax& file) -> std::string;

/// Fails the running test (GoogleTest, fatally) unless both parsers accept `text` and give the
/// same tree.
void expect_same_tree(GrammarParser& grammar, std::string_view text, syntax::Language language);

}  // namespace tacet::testing
