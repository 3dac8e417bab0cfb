#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/core/syntax/file_syntax.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// What a name is, beyond what its place in the syntax says.
struct NameColour {
  TokenKind kind = TokenKind::Variable;
  uint8_t modifiers = 0;
};

/// What the name `node` of the unit number `unit` means, if that is known.
using NameLookup = std::function<std::optional<NameColour>(size_t unit, syntax::Node node)>;

/// Feature: Semantic tokens
///
/// Colours names by what they mean, and words, literals and comments by what they are, in
/// the units that touch `range`. Punctuation is left to the editor.
auto semantic_tokens(const syntax::FileSyntax& file, TextRange range, const NameLookup& lookup)
    -> std::vector<Token>;

}  // namespace tacet::ide
