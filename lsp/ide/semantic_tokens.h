#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/core/syntax/tree.h"
#include "lsp/ide/results.h"

namespace tacet::ide {

/// What a name is, beyond what its place in the syntax says.
struct NameColour {
  TokenKind kind = TokenKind::Variable;
  uint8_t modifiers = 0;
};

/// What a name means, if that is known.
using NameLookup = std::function<std::optional<NameColour>(syntax::Node node)>;

/// Adds the tokens and comments of a tree, in the order of its text, by offsets in it: names by
/// what they mean, words, literals and comments by what they are. Punctuation is left to the
/// editor.
void add_tokens(const syntax::Tree& tree, const NameLookup& lookup, std::vector<Token>& tokens);

}  // namespace tacet::ide
